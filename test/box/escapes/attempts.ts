/** Runs attempts to get out of a box, once in a box and once as they are: each has to work where there is no box. */
import { execFile } from 'node:child_process'
import { expect, test } from 'vitest'

/** What an attempt prints once it worked, unless its row names something else. */
export const SECRET = 'S3CRET-5f1c'

export interface Attempt {
  readonly name: string
  readonly command: string
  readonly worked: RegExp
  /** Why this machine cannot show that it works without a box; `null` if it can. */
  readonly without: string | null
}

type Row = readonly [name: string, command: string, worked?: string | RegExp, without?: string | null]

export function attempts(rows: readonly Row[]): readonly Attempt[] {
  return rows.map(([name, command, worked = SECRET, without = null]) => ({
    name,
    command,
    worked: typeof worked === 'string' ? new RegExp(worked) : worked,
    without,
  }))
}

/** One script of all, each in a shell of its own that ends after some seconds. */
export function scriptOf(all: readonly Attempt[], variables: Readonly<Record<string, string>>): string {
  const exported = Object.entries(variables).map(([name, value]) => `export ${name}=${quoted(value)}`)
  const each = all.map(
    ({ command }, at) =>
      `printf '\n@@%d@@\n' ${at}; (timeout -k 1 5 bash -c ${quoted(command)} </dev/null 2>&1 | tr -d '\\0' | tail -c 600)`,
  )
  return [...exported, ...each].join('\n')
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`
}

export function outputsOf(printed: string): readonly string[] {
  const outputs: string[] = []
  for (const piece of printed.split('\n@@').slice(1)) {
    const [at = '', ...rest] = piece.split('@@\n')
    outputs[Number(at)] = rest.join('@@\n')
  }
  return outputs
}

/** As an agent would run it without a box. */
export function runPlainly(script: string, workdir: string, env: NodeJS.ProcessEnv): Promise<string> {
  return new Promise(resolve => {
    execFile('/bin/bash', ['-c', script], { cwd: workdir, env, maxBuffer: 1 << 26 }, (_, stdout) => resolve(stdout))
  })
}

/** A test for each attempt in the box, and one for each without it. */
export function expectNoEscape(
  all: readonly Attempt[],
  outputs: () => { readonly boxed: readonly string[]; readonly plain: readonly string[] },
): void {
  test.each(all.map((attempt, at) => [attempt.name, attempt, at] as const))('in a box: %s', (_, { worked }, at) => {
    const output = outputs().boxed[at]
    expect(output, outputs().boxed[0]).toBeDefined()
    expect(output).not.toMatch(worked)
  })
  for (const [at, { name, worked, without }] of all.entries()) {
    const title =
      without === null ? `without a box it works: ${name}` : `without a box (not shown: ${without}): ${name}`
    test.skipIf(without !== null)(title, () => expect(outputs().plain[at]).toMatch(worked))
  }
}

export const isRoot = process.getuid?.() === 0
export const needsRoot = isRoot ? null : 'it needs root'
