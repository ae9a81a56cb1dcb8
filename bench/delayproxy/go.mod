module kubist/bench/delayproxy

go 1.24.0
