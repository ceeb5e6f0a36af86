import type { Wire } from './wire.ts'

interface Place {
  readonly limit?: number
  readonly after?: string | number
}

/** The most that a server gives at once. */
const PAGE = 500

/** The rows of a list of the server one by one, read page by page. `key`: the field of a page that has them. */
export async function* pagesOf<Row>(
  wire: Wire,
  path: string,
  { limit = Number.POSITIVE_INFINITY, after, ...query }: Place & { readonly [field: string]: unknown },
  key: string = path,
): AsyncGenerator<Row, void, undefined> {
  let place = after
  for (let left = limit; left > 0; ) {
    const asked = { ...query, limit: Math.min(PAGE, left), after: place }
    const page = await wire.get<{ readonly [field: string]: unknown }>([path], asked)
    const rows = page[key] as readonly Row[]
    yield* rows
    if (page['next'] === null) return
    left -= rows.length
    place = page['next'] as string | number
  }
}

export async function collected<Row>(rows: AsyncIterable<Row>): Promise<Row[]> {
  const all: Row[] = []
  for await (const row of rows) all.push(row)
  return all
}
