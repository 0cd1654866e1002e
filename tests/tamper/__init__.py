"""Can anybody change the record unnoticed?"""
