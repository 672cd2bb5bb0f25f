limits { gate = 5 }
