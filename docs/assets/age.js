// Say after each date how long ago it was, by the reader's clock. Without this script, a page shows the date alone.
const words = new Intl.RelativeTimeFormat("en", {numeric: "auto"});
for (const time of document.querySelectorAll("time.age")) {
  const days = Math.floor((Date.now() - Date.parse(time.dateTime)) / 86400000);
  if (days >= 0) time.append(` (${days < 90 ? words.format(-days, "day") : words.format(-Math.floor(days / 30.44), "month")})`);
}
