/** What the rules on effects say of paths and hosts, without a command. */
import { lstatSync, realpathSync } from 'node:fs'
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path'
import type { EntryState, FileChange } from '../../../core/effect/effect.ts'
import { type EffectRules, NO_EFFECT_RULES, ruleEffect } from '../../../core/effect/effect-rules.ts'
import { type HostRule, reachOf, readHostRule } from '../../../core/effect/host-rules.ts'
import type { Policy, Verdict } from '../../../core/policy/policy.ts'
import { visibleText } from '../../../core/text/visible-text.ts'
import type { Given } from '../../command/flags.ts'
import { argumentRefusals } from '../../refusals/argument-refusals.ts'
import { EFFECT_FLAGS } from './effect-flags.ts'

/** What becomes of one effect of a command in a box. */
export interface EffectCheck {
  readonly effect: (typeof EFFECT_FLAGS)[number]
  /** The path below the directory, or the host with its port. */
  readonly of: string
  /** `auto`: without a question. `prompt`: a person is asked. `never`: it is thrown away. */
  readonly policy: Exclude<Verdict, 'box'>
  readonly rule: string
}

interface Asked {
  readonly policy: Policy
  readonly workdir: string
}

/** In the order of the flags. @throws RefusedError */
export function effectChecks(given: Given, { policy, workdir }: Asked): readonly EffectCheck[] {
  if (given.words.length > 1)
    throw argumentRefusals.usage('policy check --write PATH, --delete PATH or --host HOST', ALONE)
  const { effects = NO_EFFECT_RULES } = policy
  return EFFECT_FLAGS.flatMap(effect =>
    given.values(effect).map(text => {
      if (effect === 'host') return hostCheck(effects, text)
      return pathCheck(effects, { effect, text, workdir })
    }),
  )
}

const ALONE = 'Ask about the command by itself: `holdpoint policy check "npm test"`.'

export function effectLines(checks: readonly EffectCheck[]): string {
  const line = ({ effect, of, policy, rule }: EffectCheck) => `${policy.padEnd(6)}  ${effect} ${of}  (${rule})`
  return `${checks.map(line).map(visibleText).join('\n')}\n`
}

const HAPPENS = { permitted: 'auto', unknown: 'prompt', refused: 'never' } as const
const BECAUSE = {
  permitted: 'effects.hosts permits it',
  unknown: 'effects.hosts does not name it',
  refused: 'effects.hosts refuses it',
}

function hostCheck({ hosts }: EffectRules, text: string): EffectCheck {
  const asked = readHostRule(text)
  if ('problem' in asked || !asked.permits || asked.isUnder || asked.port === 'any')
    throw argumentRefusals.usage(
      'policy check --host NAME[:PORT]',
      'Name one host, for example registry.npmjs.org:443.',
    )
  const port = asked.port === 'web' ? 443 : asked.port
  const reach = reachOf(hosts.map(readHostRule) as readonly HostRule[], asked.host, port)
  return { effect: 'host', of: `${asked.host}:${port}`, policy: HAPPENS[reach], rule: BECAUSE[reach] }
}

interface AskedPath {
  readonly effect: 'write' | 'delete'
  readonly text: string
  readonly workdir: string
}

function pathCheck(effects: EffectRules, { effect, text, workdir }: AskedPath): EffectCheck {
  const path = pathBelow(realpathSync(workdir), resolve(workdir, text))
  if (path === null) return { effect, of: text, policy: 'never', rule: 'a box keeps nothing outside of its directory' }
  const ruling = ruleEffect(effects, { changes: [changeOf(effect, path, resolve(workdir, text))], left_out: [] })
  const rule = ruling.verdict === 'auto' ? `effects.${effect} covers it` : ruling.because
  return { effect, of: path, policy: ruling.verdict, rule }
}

const USUAL: EntryState = { kind: 'file', mode: 0o644, digest: '', size: 0 }

function changeOf(effect: AskedPath['effect'], path: string, place: string): FileChange {
  const kind = lstatSync(place, { throwIfNoEntry: false })?.isDirectory() ? 'directory' : 'file'
  const state = { ...USUAL, kind } as const
  return effect === 'write' ? { path, before: null, after: state } : { path, before: state, after: null }
}

/** The last name may be a link: that is what is written or deleted. `null` if it lies outside. */
function pathBelow(root: string, place: string): string | null {
  const between = relative(root, join(realOf(dirname(place)), basename(place)))
  const isBelow = between !== '' && between !== '..' && !between.startsWith(`..${sep}`) && !isAbsolute(between)
  return isBelow ? between.split(sep).join('/') : null
}

function realOf(directory: string): string {
  try {
    return realpathSync(directory)
  } catch {
    const parent = dirname(directory)
    return parent === directory ? directory : join(realOf(parent), basename(directory))
  }
}
