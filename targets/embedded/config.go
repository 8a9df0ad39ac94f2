package embedded

import (
	"fmt"
	"net"
	"net/url"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"go.etcd.io/etcd/server/v3/embed"
	"go.uber.org/zap"
)

// memberConfigs are the configurations of all members.
func memberConfigs(folder string, options Options) ([]*embed.Config, error) {
	if options.members() == 1 {
		config := memberConfig(folder, "member1", options)
		config.InitialCluster = config.InitialClusterFromName(config.Name)
		// The one member elects itself at once.
		config.TickMs, config.ElectionMs = 20, 200
		return []*embed.Config{config}, nil
	}
	// Members have to know each other's addresses before they start.
	addresses, err := freeAddresses(options.members())
	if err != nil {
		return nil, err
	}
	var configs []*embed.Config
	var cluster []string
	for i, address := range addresses {
		config := memberConfig(folder, "member"+strconv.Itoa(i+1), options)
		config.ListenPeerUrls, config.AdvertisePeerUrls = at(address), at(address)
		// Quick enough for tests, slow enough for a busy machine. Leases of one
		// second remain possible: etcd raises them to one and a half elections.
		config.TickMs, config.ElectionMs = 60, 600
		cluster = append(cluster, fmt.Sprintf("%s=http://%s", config.Name, address))
		configs = append(configs, config)
	}
	for _, config := range configs {
		config.InitialCluster = strings.Join(cluster, ",")
	}
	return configs, nil
}

// memberConfig is made for speed: the data does not outlive the process, so
// nothing is synced to the disk, and passwords are hashed as cheaply as etcd allows.
func memberConfig(folder, name string, options Options) *embed.Config {
	config := embed.NewConfig()
	config.Name = name
	config.Dir = filepath.Join(folder, name)
	config.ListenClientUrls, config.AdvertiseClientUrls = at(freeAddress), at(freeAddress)
	config.ListenPeerUrls, config.AdvertisePeerUrls = at(freeAddress), at(freeAddress)
	config.UnsafeNoFsync = true
	config.SnapshotCount = 1000
	config.BcryptCost = 4
	config.EnableGRPCGateway = false
	// Periodic notifications often enough that a plan meets some.
	config.WatchProgressNotifyInterval = 250 * time.Millisecond
	setLog(config, options.Log)
	return config
}

// freeAddress lets the system choose a free port.
const freeAddress = "127.0.0.1:0"

func at(address string) []url.URL { return []url.URL{{Scheme: "http", Host: address}} }

// freeAddresses are some that were free a moment ago.
func freeAddresses(n int) (addresses []string, err error) {
	for range n {
		listener, err := net.Listen("tcp", freeAddress)
		if err != nil {
			return nil, err
		}
		// Open until all are chosen, so that they differ.
		defer func() { _ = listener.Close() }()
		addresses = append(addresses, listener.Addr().String())
	}
	return addresses, nil
}

func setLog(config *embed.Config, file string) {
	if file == "" {
		config.ZapLoggerBuilder = embed.NewZapLoggerBuilder(zap.NewNop())
		return
	}
	config.LogLevel = "info"
	config.LogOutputs = []string{file}
}
