# rvcheck: "make help" says what there is.

GO       ?= go
PLANS    ?= 200
CLIENTS  ?= 8
FUZZTIME ?= 30s
SEEDS    ?= 10
BUDGET   ?= 60s
DURATION ?= 10m
# For clusters: the minor release, how many control planes, where the results go.
KUBERNETES ?= 1.37
NODES      ?= 1
NIGHTLY    ?= nightly/local
# Where the linters' binaries are kept, and their versions.
TOOLS       := $(CURDIR)/bin
GOFUMPT     := $(TOOLS)/gofumpt
GOLANGCI    := $(TOOLS)/golangci-lint
GOFUMPT_VERSION  := v0.12.0
GOLANGCI_VERSION := v2.15.0

.DEFAULT_GOAL := help
.PHONY: help build demo test short race browser lint fmt docs mutants damages generators bench speed fuzz ci clean
.PHONY: servers server rediscover soak stores nightly testbed cluster
.PHONY: kind-start kind-stop nightly-check nightly-issue nightly-local workflows

help: ## say what the targets do
	@grep -E '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | sort | awk -F'\t' '{printf "  make %-13s %s\n", $$1, $$2}'

build: ## build the command into bin/checker
	$(GO) build -o bin/checker ./cmd/checker

demo: ## check an etcd server in this process (PLANS=200 CLIENTS=8)
	$(GO) run ./cmd/checker run --plans $(PLANS) --clients $(CLIENTS) --known-failing known-failing/etcd-3.7.txt

test: ## run all tests
	$(GO) test ./...

short: ## run the tests that take seconds
	$(GO) test -short ./...

race: ## run what is concurrent under the race detector
	$(GO) test -short -race ./internal/recording ./internal/session ./targets/memory

browser: ## test the page in Chromium, which has to be installed
	cd testbed/browser && REQUIRE_CHROMIUM=1 $(GO) test -count 1 -v ./...

lint: $(GOFUMPT) $(GOLANGCI) ## check format and run the linters
	@unformatted=$$($(GOFUMPT) -l .); if [ -n "$$unformatted" ]; then echo "not formatted, run make fmt:"; echo "$$unformatted"; exit 1; fi
	$(GO) vet ./...
	$(GOLANGCI) run ./...

fmt: $(GOFUMPT) ## format all files
	$(GOFUMPT) -w .

docs: ## write the generated pages anew
	$(GO) run ./cmd/checker list --markdown > docs/PROPERTIES.md
	$(GO) test ./internal/drawing/terminal -run TestDocument -update

mutants: ## run every named fault and show which property finds it
	$(GO) run ./cmd/checker mutants --run --plans 400 --seed 5
	$(GO) run ./cmd/checker mutants --run --layer kube --plans 300 --seed 5

damages: ## run every damage on an etcd in this process and show which property finds it
	$(GO) run ./cmd/checker mutants --run --on embedded:// --plans 150 --clients 8 --seed 5 --no-shrink

generators: ## measure how soon each named fault is found (half an hour), into docs/GENERATORS.md
	$(GO) build -o bin/checker ./cmd/checker
	@sed '/^<!-- measured/q' docs/GENERATORS.md > bin/generators.md
	@status=0; for layer in etcd kube; do \
		printf '\n### The mutants of the layer %s\n\n' $$layer >> bin/generators.md; \
		bin/checker mutants --run --layer $$layer --seeds 20 --table >> bin/generators.md || status=$$?; \
		if [ $$status -gt 1 ]; then exit $$status; fi; \
	done; mv bin/generators.md docs/GENERATORS.md; exit $$status

bench: ## run the benchmarks
	$(GO) test -run '^$$' -bench . -benchmem ./...

speed: ## time the judges on a recorded history, side by side
	$(GO) test ./internal/speed -v -count 1 -args -porcupine

fuzz: ## fuzz each fuzz target for FUZZTIME
	@$(GO) list -f '{{.Dir}}' ./... | while read -r folder; do \
		for target in $$(grep -hoE '^func Fuzz[A-Za-z0-9]+' "$$folder"/*_test.go 2>/dev/null | sed 's/func //'); do \
			echo "$$target in $$folder"; \
			(cd "$$folder" && $(GO) test -run '^$$' -fuzz "^$$target$$" -fuzztime $(FUZZTIME) .) || exit 1; \
		done; \
	done

servers: ## build the real servers of the testbed from their Go modules (minutes each)
	$(GO) run -C testbed ./cmd/servers build

server: ## build one real server and print its path (NAME=kine-sqlite@v0.17.5)
	@$(GO) run -C testbed ./cmd/servers build $(NAME)

rediscover: build bin/rediscover ## find the faults of old releases and print the table (ROW=E01,K04 SEEDS=10 BUDGET=60s)
	@bin/rediscover -rows "$(ROW)" -seeds $(SEEDS) -budget $(BUDGET)

soak: build bin/soak ## run the checker on each current etcd, fail on any violation (DURATION=10m)
	@bin/soak -duration $(DURATION)

stores: build bin/soak ## run the checker on kine and t4 with their known-failing files, fail on anything new (DURATION=10m)
	@bin/soak -duration $(DURATION) -servers kine-sqlite,kine-postgres,kine-nats,t4

nightly: ## everything that takes hours: servers, rediscovery, soaks, stores, mutants, damages
	@$(MAKE) --keep-going servers rediscover soak stores mutants damages DURATION=30m

testbed: build bin/rediscover bin/soak ## a few minutes of rediscover and soak, as in CI
	$(GO) test -C testbed ./...
	@bin/rediscover -rows E01,K15 -seeds 3 -budget 2m -controls=false
	@bin/soak -duration 45s -servers etcd@v3.7.3

cluster: build bin/controlplane ## test the target kube:// on a real kube-apiserver, which is built where it is missing (minutes)
	@bin/controlplane -- sh -c 'RVCHECK_KUBECONFIG="$$KUBECONFIG" $(GO) test -count 1 ./targets/kube && \
		bin/checker run --target "kube://?kubeconfig=$$KUBECONFIG" --also etcd://{etcd} --plans 20 --quiet --known-failing testbed/known-failing/kube.txt'

kind-start: ## start a kind cluster (KUBERNETES=1.37 NODES=1, or 3)
	testbed/nightly/kind.sh start $(KUBERNETES) $(NODES) $(NIGHTLY)

kind-stop: ## delete it
	testbed/nightly/kind.sh stop $(NIGHTLY)

nightly-check: build ## run the checker on the cluster that was started (DURATION=20m)
	testbed/nightly/check.sh $(NIGHTLY) $(DURATION)

nightly-issue: ## open an issue of what the nightly runs found, or add to it
	testbed/nightly/issue.sh nightly

nightly-local: build bin/controlplane ## do the nightly run on a control plane of the testbed (NODES=1, or 3; TARGET=URL: on that)
	testbed/nightly/local.sh $(NIGHTLY) $(DURATION) $(NODES) '$(TARGET)'

workflows: ## check the workflows and all scripts, for which shellcheck has to be installed
	$(GO) tool -modfile=testbed/tools/go.mod actionlint
	shellcheck .ci/run testbed/servers/*.sh testbed/nightly/*.sh

# Always asked for: the Go command knows what is old.
.PHONY: bin/rediscover bin/soak bin/controlplane
bin/rediscover bin/soak bin/controlplane:
	@$(GO) build -C testbed -o $(CURDIR)/$@ ./cmd/$(@F)

ci: lint test demo mutants ## what continuous integration runs

clean: ## remove what was built
	rm -rf bin

$(GOFUMPT):
	GOBIN=$(TOOLS) $(GO) install mvdan.cc/gofumpt@$(GOFUMPT_VERSION)

$(GOLANGCI):
	GOBIN=$(TOOLS) $(GO) install github.com/golangci/golangci-lint/v2/cmd/golangci-lint@$(GOLANGCI_VERSION)
