"""Charts of the ledger's numbers, drawn when the site is built: SVG with text as text, and the data as a table."""
