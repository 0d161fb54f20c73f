// Several views in one canvas.

export interface Cell {
  left: number;
  top: number;
  width: number;
  height: number;
}

/** Equal cells, in the number of columns that makes them closest to square. */
export function cells(count: number, width: number, height: number): Cell[] {
  let columns = 1;
  let best = -Infinity;
  for (let tried = 1; tried <= count; tried++) {
    const rows = Math.ceil(count / tried);
    const side = Math.min(width / tried, (1.2 * height) / rows);
    if (side > best + 1e-9) [columns, best] = [tried, side];
  }
  const rows = Math.max(1, Math.ceil(count / columns));
  return Array.from({ length: count }, (_, index) => {
    const [column, row] = [index % columns, Math.floor(index / columns)];
    // Edges are rounded, not sizes, so that cells join without a seam.
    const edge = (part: number, parts: number, whole: number) => Math.round((part * whole) / parts);
    const [left, top] = [edge(column, columns, width), edge(row, rows, height)];
    return { left, top, width: edge(column + 1, columns, width) - left, height: edge(row + 1, rows, height) - top };
  });
}
