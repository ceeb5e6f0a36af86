/** A list as the server gives it: a page, and where the next one begins. */
export interface Page<Row> {
  readonly rows: readonly Row[]
  readonly next: string | number | null
}

interface Place {
  readonly limit: number
  readonly after?: string | number
}

/** The most that a server gives at once. */
const PAGE = 500

/** Row by row, page by page. */
export async function* pages<Row>(
  read: (place: Place) => Promise<Page<Row>>,
  { limit = Number.POSITIVE_INFINITY, after }: { readonly limit?: number; readonly after?: string | number },
): AsyncGenerator<Row, void, undefined> {
  let place = after
  for (let left = limit; left > 0; ) {
    const page = await read({ limit: Math.min(PAGE, left), ...(place !== undefined && { after: place }) })
    yield* page.rows
    if (page.next === null) return
    left -= page.rows.length
    place = page.next
  }
}

export async function collected<Row>(rows: AsyncIterable<Row>): Promise<Row[]> {
  const all: Row[] = []
  for await (const row of rows) all.push(row)
  return all
}
