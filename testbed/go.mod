module github.com/rvcheck/rvcheck/testbed

go 1.26.8
