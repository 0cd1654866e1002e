"""What use has shown (rows U-…): each played through the doors of a started server with a policy that ships."""
