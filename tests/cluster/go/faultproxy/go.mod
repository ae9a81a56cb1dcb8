module faultproxy

go 1.26.0
