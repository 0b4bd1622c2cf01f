"""The protocol of ease.ml's section 6: tables of users and models, replayed in virtual time."""
