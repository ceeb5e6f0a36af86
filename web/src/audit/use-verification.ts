import { useState } from 'react'
import type { Checked, Head } from './chain-check.ts'
import { keptHeads, noteHead } from './noted-heads.ts'
import { linesOfFile, linesOfServer, verify } from './verify.ts'

export type Stage =
  | { readonly is: 'idle' }
  | { readonly is: 'reading'; readonly count: number }
  /** `of` what, and how many ends this browser knew of it. */
  | { readonly is: 'done'; readonly checked: Checked; readonly of: string; readonly kept: number }
  | { readonly is: 'failed'; readonly why: string }

interface Verification {
  readonly stage: Stage
  readonly ofServer: (noted: readonly Head[]) => Promise<void>
  readonly ofFile: (file: File, noted: readonly Head[]) => Promise<void>
}

export function useVerification(): Verification {
  const [stage, set] = useState<Stage>({ is: 'idle' })
  const run = async (lines: AsyncIterable<readonly string[]>, noted: readonly Head[]) => {
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
    // It may be of another store: the ends that this browser knows are not of it.
    ofFile: async (file, noted) => {
      const checked = await run(linesOfFile(file), noted)
      if (checked) set({ is: 'done', checked, of: file.name, kept: 0 })
    },
  }
}
