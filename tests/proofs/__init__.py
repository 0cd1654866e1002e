"""Proofs that a change does no harm, and everything that looks like one."""
