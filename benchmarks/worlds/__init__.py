"""Problems with known answers, in groups: what a search is measured on."""
