// Browsers do not let a page from a disk read other pages, so there search shows titles without excerpts.
if (location.protocol === "file:") {
  DOCUMENTATION_OPTIONS.SHOW_SEARCH_SUMMARY = false;
}
