import type { Finished } from '../scenarios/project.ts'

export type Verdict = 'approve' | 'reject' | 'edit' | 'respond' | 'cancel'

/** A decision that a process was told to make, by an author whom no other one has. */
export interface Intent {
  readonly by: string
  readonly hold: string
  readonly verdict: Verdict
}

/** The campaign's own notes: its processes were told to do this, and told this of it. */
export class Ledger {
  readonly intents: Intent[] = []
  /** Decisions that were reported as recorded. */
  readonly acknowledged: Intent[] = []
  /** Runs of which a process told, with the outcome that it told. */
  readonly told: { readonly run: string; readonly outcome: string }[] = []
  readonly cancelled: string[] = []
  readonly counts: Map<string, number> = new Map()
  /** Answers that no process may give, whatever happens to it. */
  readonly oddities: string[] = []

  count(what: string): void {
    this.counts.set(what, (this.counts.get(what) ?? 0) + 1)
  }

  /** Each process that ended by itself says how, in one document. */
  heard(words: readonly string[], { exit, signal, stdout, stderr }: Finished): unknown {
    if (signal !== null) return null
    const document = documentIn(stdout)
    const verb = words[0] === '-a' ? 'start' : words[0]
    this.count(`${verb} exits ${exit}${document?.error?.code ? ` (${document.error.code})` : ''}`)
    if (/\n\s+at /.test(stderr) || document?.error?.code === 'internal_error' || (document === null && exit !== 0))
      this.oddities.push(`${words.join(' ')}: exit ${exit}: ${stdout.slice(-600)} ${stderr.slice(0, 1500)}`)
    if (typeof document?.run_id === 'string' && document.outcome !== 'refused')
      this.told.push({ run: document.run_id, outcome: document.outcome ?? '' })
    return document
  }
}

interface Told {
  readonly run_id?: string
  readonly outcome?: string
  readonly error?: { readonly code?: string }
}

function documentIn(stdout: string): Told | null {
  try {
    const lines = stdout.trim().split('\n')
    return JSON.parse(lines.at(-1) ?? '') as Told
  } catch {
    return null
  }
}
