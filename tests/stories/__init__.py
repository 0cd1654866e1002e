"""The whole stories of the five seeds, played on running servers with a movable clock."""
