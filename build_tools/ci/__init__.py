"""What CI asks for, as commands that run by hand as well."""
