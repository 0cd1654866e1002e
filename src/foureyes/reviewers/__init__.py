"""Who looks at a work? Programs, the agents on this machine, and models; all behind one port."""
