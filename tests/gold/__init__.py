"""What compare_gold.py is made of: rows, and one reader a kind of file."""
