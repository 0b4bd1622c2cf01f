"""The work behind `tunewise replay`: races of strategies on a table, and of rules among tenants."""
