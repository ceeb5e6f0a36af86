/** The flags and words of `agents spawn`. */
import { refused } from '../../../core/errors.ts'
import {
  INTERACTIVE_FAULTS,
  type InteractiveSettings,
  type OnIdle,
} from '../../../core/settings/interactive-settings.ts'
import { refuseUnfitName } from '../../../runtime/fleet/agent-terms.ts'
import type { ProfileRequest } from '../../agents/profile/run-profile.ts'
import type { Given } from '../../command/flags.ts'
import { readText } from '../../process/read-text.ts'

export interface SpawnWish extends Omit<ProfileRequest, 'pauseOn'> {
  readonly prompt: string
  readonly name: string | null
  readonly staying: InteractiveSettings
  readonly worktree: boolean
  readonly timeoutSeconds: number | null
  readonly wait: boolean
}

/** @throws RefusedError for what cannot be meant; then nothing was started. */
export async function readSpawn(given: Given, words: readonly string[]): Promise<SpawnWish> {
  const tools = given.values('tool')
  const system = given.value('system-prompt-file')
  const name = given.value('name')
  if (name !== null) refuseUnfitName(name)
  return {
    prompt: await promptIn(given, words),
    name,
    staying: stayingIn(given),
    worktree: given.has('worktree'),
    timeoutSeconds: numberIn(given, 'timeout'),
    wait: given.has('wait'),
    agent: given.value('agent'),
    model: given.value('model'),
    tools: tools.length > 0 ? [...new Set(tools)] : null,
    policy: given.value('policy'),
    maxSteps: numberIn(given, 'max-steps'),
    workdir: given.value('workdir'),
    systemPrompt: system === null ? null : await readText(system, 'The system prompt'),
  }
}

async function promptIn(given: Given, words: readonly string[]): Promise<string> {
  const file = given.value('prompt-file') ?? (words.length === 1 && words[0] === '-' ? '-' : null)
  if (given.value('prompt-file') !== null && words.length > 0)
    throw refused('two_prompts', 'A prompt and --prompt-file were given together.', 'Give one of them.')
  const prompt = file === null ? words.join(' ') : await readText(file, 'The prompt')
  if (prompt.trim() !== '') return prompt
  throw refused(
    'no_prompt',
    'An agent in the background needs something to do, and no prompt was given.',
    'Write `holdpoint agents spawn "what to do"`. Nothing was started.',
  )
}

/** Refuses a bad value here, before anything is made: no person would see the process that fails on it. */
function stayingIn(given: Given): InteractiveSettings {
  const idle_timeout = checked('idle_timeout', secondsIn(given.value('idle-timeout')))
  const on_idle = checked('on_idle', given.value('on-idle'))
  return {
    interactive: given.has('interactive') ? true : null,
    idle_timeout: idle_timeout as number | null,
    on_idle: on_idle as OnIdle | null,
  }
}

/** A text that is no number stays as it is, to be refused as it was written. */
function secondsIn(text: string | null): number | string | null {
  return text === null || !/^\d+(\.\d+)?$/.test(text) ? text : Number(text)
}

function checked(setting: 'idle_timeout' | 'on_idle', value: number | string | null): number | string | null {
  const fault = value === null ? null : INTERACTIVE_FAULTS[setting](value)
  if (fault === null) return value
  throw refused('invalid_arguments', `--${setting.replace('_', '-')} ${fault}.`, 'Correct it. Nothing was started.')
}

function numberIn(given: Given, flag: string): number | null {
  const text = given.value(flag)
  if (text === null) return null
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text)
  throw refused(
    'invalid_arguments',
    `--${flag} ${JSON.stringify(text)} is no whole number from 1.`,
    'Correct it. Nothing was started.',
  )
}
