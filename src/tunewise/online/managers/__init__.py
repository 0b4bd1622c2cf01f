"""Who decides under which setting a training goes on: ours, and the thesis'."""
