/**
 * A run as a text that another run of the same story has, too: what it printed, and its journal. Names, times, digests
 * and places are numbered or masked; all else stands as it is.
 */
import { journalOf, type Written } from './journal.ts'
import type { Finished, Project } from './project.ts'

export type Printed = Pick<Finished, 'exit' | 'stdout' | 'stderr'>

export class Golden {
  readonly #project: Project
  readonly #names = new Map<string, string>()
  readonly #parts: string[] = []

  constructor(project: Project) {
    this.#project = project
  }

  printed(command: string, { exit, stdout, stderr }: Printed): void {
    this.#parts.push(`$ ${command}\nexit ${exit}`, ...section('stdout', stdout), ...section('stderr', stderr))
  }

  /** Every event in the project's store. */
  journal(): void {
    this.#parts.push('journal:', ...journalOf(this.#project).map(eventText))
  }

  text(): string {
    return `${this.#masked(this.#parts.join('\n'))}\n`
  }

  #masked(text: string): string {
    return (
      text
        .replaceAll(this.#project.directory, '/project')
        .replaceAll(/sha256:[0-9a-f]{64}/g, 'DIGEST')
        // Later versions tell more of a call in the journal.
        .replaceAll(/"fitted":"DIGEST",|,"(fitted|process)":("[^"]*"|null)/g, '')
        .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g, 'TIME')
        // Work that took long is told with its time.
        .replaceAll(/ · \d+(\.\d+)? ?m?s\b/g, '')
        .replaceAll(/"(duration_ms|active_ms|latency_ms|first_ms|ms|took_ms)": ?\d+/g, '"$1":0')
        .replaceAll(ID, name => this.#name(name))
    )
  }

  /** By the order in which they come. */
  #name(name: string): string {
    const [kind = ''] = name.split('_')
    const known = [...this.#names.values()].filter(other => other.startsWith(`${kind}_`)).length
    const given = this.#names.get(name) ?? `${kind}_${known + 1}`
    this.#names.set(name, given)
    return given
  }
}

/** Of any kind; an id may have no digit. */
const ID = /\b(th|run|cp|hold|dec|grant|task|bundle|token|ntc|session|msg|inv|in)_[0-9a-z]{16,32}\b/g

function section(title: string, text: string): string[] {
  return text === '' ? [] : [`${title}:`, text.trimEnd()]
}

function eventText({ thread, seq, run, kind, data }: Written): string {
  return JSON.stringify({ thread, seq, run, kind, data })
}
