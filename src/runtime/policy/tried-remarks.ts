/** Rules as they are, and not as they are written: each is tried on calls, by the reading that runs have. */

import { matchesGlob } from '../../core/policy/glob.ts'
import type { Policy, PolicyRule } from '../../core/policy/policy.ts'
import { DOES_NOTHING, linesOf, type PolicyRemark } from '../../core/policy/remarks/remark.ts'
import type { JsonObject } from '../../core/text/json.ts'
import type { Tool } from '../../ports/agent/tool.ts'
import { type Ruled, rulingOn } from './ruling.ts'

const COMMANDS = 'run_command'

/** Texts for the stars of a pattern: nothing, one word, several. */
const FILLS: readonly string[] = ['', 'x', 'x y', '/x']

/**
 * Remarks that hold once the rules were tried: remarks of `told` about their text, and rules that cover no call made
 * from their own patterns. Only `tools` can be tried; rules about other tools get no remark.
 */
export async function triedRemarks(
  ruled: Ruled,
  tools: readonly Tool[],
  told: readonly PolicyRemark[],
): Promise<readonly PolicyRemark[]> {
  const places = new Set(told.map(({ place }) => place))
  const idle = (await idleRules(ruled, tools)).filter(({ place }) => !places.has(place))
  const isTrue = await Promise.all(told.map(remark => isPermitted(ruled, tools, remark)))
  const remarks = [...told.filter((_, at) => isTrue[at]), ...idle]
  const order = linesOf(ruled.policy).map(({ place }) => place)
  return remarks.toSorted((one, other) => order.indexOf(one.place) - order.indexOf(other.place))
}

/** A rule's text may permit a call that is held all the same because of its effects. */
async function isPermitted(ruled: Ruled, tools: readonly Tool[], { place, example }: PolicyRemark): Promise<boolean> {
  if (example === undefined) return true
  const rule = ruled.policy.rules[Number(place.slice('rules.'.length))]
  const tool = tools.find(({ name }) => rule !== undefined && matchesGlob(rule.tool, name) && name === COMMANDS)
  if (!rule || !tool) return false
  return (await rulingOn({ ...ruled, policy: onlyRule(rule) }, tool, { command: example })).verdict === 'auto'
}

async function idleRules(ruled: Ruled, tools: readonly Tool[]): Promise<readonly PolicyRemark[]> {
  const remarks: PolicyRemark[] = []
  for (const [at, rule] of ruled.policy.rules.entries()) {
    const about = tools.filter(({ name }) => matchesGlob(rule.tool, name))
    if (about.length > 0 && !(await coversAny(ruled, about, rule))) remarks.push(idle(rule, `rules.${at}`))
  }
  return remarks
}

async function coversAny(ruled: Ruled, tools: readonly Tool[], rule: PolicyRule): Promise<boolean> {
  const policy = onlyRule(rule)
  for (const tool of tools)
    for (const args of examplesOf(rule)) {
      const ruling = await rulingOn({ ...ruled, policy }, tool, args)
      if (ruling.rule.startsWith(`rule ${rule.tool} `)) return true
    }
  return false
}

/** The rest rules the opposite, so the ruling shows whether the rule applied. */
function onlyRule(rule: PolicyRule): Policy {
  const other = rule.policy === 'auto' ? 'never' : 'auto'
  return { default: other, tools: {}, rules: [rule], on_never: 'reject' }
}

function examplesOf({ match }: PolicyRule): readonly JsonObject[] {
  return FILLS.map(fill =>
    Object.fromEntries(Object.entries(match).map(([name, pattern]) => [name, pattern.replaceAll('*', fill).trim()])),
  )
}

function idle({ policy, match }: PolicyRule, place: string): PolicyRemark {
  const written = JSON.stringify(match)
  return {
    ...{ code: 'never_matches', place },
    message: `No call is read as ${written}, not even one that is written so, and ${DOES_NOTHING[policy]}.`,
    hint: isLine(match) ? ONE_BY_ONE : WHY_IDLE[policy],
  }
}

/** A pattern is held against each command of a line, with its stars. Only the very text of a line is read whole. */
const ONE_BY_ONE = 'Write a rule for each command of the line: each is ruled on by itself.'

function isLine({ command = '' }: PolicyRule['match']): boolean {
  return /&&|\|\||[;|\n]/.test(command)
}

const WHY_IDLE: Record<PolicyRule['policy'], string> = {
  auto: 'What needs a person in any case is permitted by no rule: write the plain command, or leave the rule out.',
  box: 'Write it as the tool reads it: a command without quotes, a path as it is below the directory.',
  prompt: 'Write it as the tool reads it: a command without quotes, a path as it is below the directory.',
  never: 'Write it as the tool reads it: a command without quotes, a path as it is below the directory.',
}
