import { useState } from 'react'
import type { AuditHead } from '../../../src/core/audit/audit-chain.ts'
import { get } from '../api/client.ts'
import type { Documents } from '../api/documents.ts'
import { ChainCheck, type Checked, headText, readHead } from './chain-check.ts'

export type Stage =
  | { readonly is: 'idle' }
  | { readonly is: 'reading'; readonly count: number }
  /** `of` what, and how many ends this browser knew of it. */
  | { readonly is: 'done'; readonly checked: Checked; readonly of: string; readonly kept: number }
  | { readonly is: 'failed'; readonly why: string }

interface Verification {
  readonly stage: Stage
  readonly ofServer: (noted: readonly AuditHead[]) => Promise<void>
  readonly ofFile: (file: File, noted: readonly AuditHead[]) => Promise<void>
}

export function useVerification(): Verification {
  const [stage, set] = useState<Stage>({ is: 'idle' })
  const run = async (lines: AsyncIterable<readonly string[]>, noted: readonly AuditHead[]) => {
    set({ is: 'reading', count: 0 })
    try {
      return await verify(lines, noted, count => set({ is: 'reading', count }))
    } catch (thrown) {
      set({ is: 'failed', why: thrown instanceof Error ? thrown.message : String(thrown) })
      return null
    }
  }
  return {
    stage,
    ofServer: async noted => {
      const kept = keptHeads()
      const checked = await run(linesOfServer(), [...noted, ...kept])
      if (checked?.fault_count === 0) noteHead(checked.head)
      if (checked) set({ is: 'done', checked, of: 'the log of the server', kept: kept.length })
    },
    // A file may belong to another store, so the ends that this browser knows do not apply.
    ofFile: async (file, noted) => {
      const checked = await run(linesOfFile(file), noted)
      if (checked) set({ is: 'done', checked, of: file.name, kept: 0 })
    },
  }
}

const KEY = 'holdpoint.audit-heads'

/** Oldest first. More would not prove more: each covers all that is before it. */
const MOST = 3

/** The ends of the log that this browser found without a fault. */
function keptHeads(): readonly AuditHead[] {
  return (localStorage.getItem(KEY) ?? '').split(' ').flatMap(text => readHead(text) ?? [])
}

function noteHead(head: AuditHead): void {
  const others = keptHeads().filter(({ seq }) => seq !== head.seq)
  localStorage.setItem(KEY, [...others, head].slice(-MOST).map(headText).join(' '))
}

const PAGE = 500

/** Reads a log to its end. `onCount` gets the number of records so far. */
async function verify(
  lines: AsyncIterable<readonly string[]>,
  noted: readonly AuditHead[],
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

async function* linesOfServer(): AsyncGenerator<readonly string[]> {
  for (let after: number | null = 0; after !== null; ) {
    const page: Documents['AuditRecords'] = await get('/v1/audit', { lines: true, limit: PAGE, after })
    yield page.records.map(record => (record as { readonly line?: string }).line ?? '')
    after = page.next
  }
}

/** Only a line feed ends a line: a record may contain other line breaks. */
async function* linesOfFile(file: Blob): AsyncGenerator<readonly string[]> {
  let rest = ''
  for await (const chunk of file.stream().pipeThrough(new TextDecoderStream())) {
    const lines = (rest + chunk).split('\n')
    rest = lines.pop() ?? ''
    if (lines.length > 0) yield lines.filter(line => line !== '')
  }
  if (rest !== '') yield [rest]
}
