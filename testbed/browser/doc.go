// Package browser tests the page of internal/drawing/page in a real browser. It is a
// module of its own, so that nobody else has to fetch a browser's driver.
//
// The tests need Chromium (Debian: chromium) in PATH, or its path in CHROMIUM. With
// none they fail where REQUIRE_CHROMIUM is set and are skipped else.
package browser
