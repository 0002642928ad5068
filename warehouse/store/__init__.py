"""The warehouse file: tables, migrations, views."""
