import Tabulator from "./node_modules/tabulator-tables/src/js/core/Tabulator.js";
import Format from "./node_modules/tabulator-tables/src/js/modules/Format/Format.js";
import ResizeTable from "./node_modules/tabulator-tables/src/js/modules/ResizeTable/ResizeTable.js";
import Sort from "./node_modules/tabulator-tables/src/js/modules/Sort/Sort.js";

Tabulator.registerModule([Format, ResizeTable, Sort]);
export { Tabulator };
