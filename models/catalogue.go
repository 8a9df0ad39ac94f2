package models

import "slices"

// Catalogue returns every property, group by group. Code, documents, waivers and
// reports use the same ids.
func Catalogue() []Property {
	return slices.Concat(
		writeProperties, kubeWriteProperties, objectProperties, kubeVersionProperties, headerProperties,
		readProperties, kubeReadProperties, getProperties, listProperties, kubeListProperties,
		pageProperties, kubePageProperties, watchProperties, kubeWatchProperties, progressProperties,
		bookmarkProperties, expiryProperties, kubeExpiryProperties, errorProperties, informerProperties,
		txnProperties, rangeProperties, leaseProperties, faultProperties,
	)
}

// Lookup returns the property with this id.
func Lookup(id string) (Property, bool) {
	for _, p := range Catalogue() {
		if p.ID == id {
			return p, true
		}
	}
	return Property{}, false
}
