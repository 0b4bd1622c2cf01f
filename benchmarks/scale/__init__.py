"""How far it goes: what an ask, the store, the scheduler and Ray take as problems grow."""
