import { get } from '../api/client.ts'
import type { Documents } from '../api/documents.ts'
import { ChainCheck, type Checked, type Head } from './chain-check.ts'

const PAGE = 500

/** Reads a log to its end. `onCount` is told how many records there were so far. */
export async function verify(
  lines: AsyncIterable<readonly string[]>,
  noted: readonly Head[],
  onCount: (count: number) => void,
): Promise<Checked> {
  const check = new ChainCheck(noted)
  let count = 0
  for await (const page of lines) {
    await check.take(page)
    count += page.length
    onCount(count)
  }
  return check.end()
}

export async function* linesOfServer(): AsyncGenerator<readonly string[]> {
  for (let after: number | null = 0; after !== null; ) {
    const page: Documents['AuditRecords'] = await get('/v1/audit', { lines: true, limit: PAGE, after })
    yield page.records.map(record => (record as { readonly line?: string }).line ?? '')
    after = page.next
  }
}

/** Line feeds alone end a line: what else counts as a line break elsewhere may stand in a record. */
export async function* linesOfFile(file: Blob): AsyncGenerator<readonly string[]> {
  let rest = ''
  for await (const chunk of file.stream().pipeThrough(new TextDecoderStream())) {
    const lines = (rest + chunk).split('\n')
    rest = lines.pop() ?? ''
    if (lines.length > 0) yield lines.filter(line => line !== '')
  }
  if (rest !== '') yield [rest]
}
