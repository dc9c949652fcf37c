module chainwright.example/workers

go 1.19
