"""The work behind `tunewise replay` and `tunewise collect`: races on tables, and tables to race on."""
