/** The people and machines of the campaign: each act is one or more processes of the built command line. */
import { crashingIn } from '../scenarios/crash-in.ts'
import type { Finished } from '../scenarios/project.ts'
import type { Intent, Ledger, Verdict } from './ledger.ts'
import type { Random } from './random.ts'
import type { Stage } from './stage.ts'

export interface Hold {
  readonly id: string
  readonly kind: string
  readonly run_id: string
  readonly thread_id: string
  readonly call_id: string | null
}

const OPEN = "SELECT id, kind, run_id, thread_id, call_id FROM holds WHERE status = 'open' ORDER BY number"
const TOOLS = ['subagent_task', 'run_command'].flatMap(name => ['-t', name])
/** Of a start: words that lead to each script, and how often. */
const STARTS = [
  ['gated', ['--pause-on', 'approval,question']],
  ['gated', ['--pause-on', 'approval,question', '--agent', 'batch.md']],
  ['asking', ['--pause-on', 'approval,question']],
  ['free', []],
  ['long', []],
  ['parent', ['--pause-on', 'approval,question', ...TOOLS]],
  ['parent', ['--pause-on', 'approval,question', ...TOOLS]],
] as const
/** A child is one write with its task: both sides of it are hit more often than chance would. */
const CHILD_IS_STARTED = 'start(run.started, message.received, checkpoint.named, a task)'
const ROLES = ['-a', '-c', 'work', 'approve', 'tasks', 'supervise.js', '--attend'] as const

export class Cast {
  readonly #stage: Stage
  readonly #ledger: Ledger
  readonly #random: Random
  #names = 0

  constructor(stage: Stage, ledger: Ledger, random: Random) {
    this.#stage = stage
    this.#ledger = ledger
    this.#random = random
  }

  openHolds(): Hold[] {
    return this.#stage.rows<Hold>(OPEN)
  }

  async start(): Promise<void> {
    const [script, flags] = this.#random.oneOf([...STARTS]) ?? STARTS[0]
    await this.say(['-a', ...flags, '--model', `script:${script}.json`, '-o', 'json', 'go'], this.#doom(['-a']))
  }

  async work(): Promise<void> {
    await this.say(['work', '--concurrency', '2', '--grace', '2', '--json'], this.#doom(['work']))
  }

  async look(): Promise<void> {
    const [task] = this.#stage.rows<{ id: string }>('SELECT id FROM tasks ORDER BY random() LIMIT 1')
    if (task === undefined) return
    const words = this.#random.oneOf([
      ['wait', task.id, '--timeout', '3'],
      ['show', task.id],
      ['resume', task.id],
    ])
    await this.say(['tasks', ...words, '--json'], this.#doom(['tasks']))
  }

  async cancel(): Promise<void> {
    const [run] = this.#stage.rows<{ id: string }>(
      "SELECT id FROM runs WHERE status <> 'done' ORDER BY random() LIMIT 1",
    )
    if (run === undefined) return
    const { exit } = await this.say(['cancel', run.id, '--json'], {})
    if (exit === 0) this.#ledger.cancelled.push(run.id)
  }

  /** A person decides, now and then two of them the same. */
  async decide(): Promise<void> {
    const hold = this.#random.oneOf(this.openHolds())
    if (hold === undefined) return
    const again = this.#random.chance(0.2) ? [this.#decideOne(hold)] : []
    await Promise.all([this.#decideOne(hold), ...again])
  }

  /** Undisturbed. */
  async settle(hold: Hold): Promise<void> {
    await this.#decideOne(hold, { isCalm: true })
  }

  async say(words: readonly string[], env: Readonly<Record<string, string>>, actor = 'starter'): Promise<Finished> {
    const finished = await this.#stage.holdpoint(words, actor, env)
    this.#ledger.heard(words, finished)
    return finished
  }

  async #decideOne(hold: Hold, { isCalm = false } = {}): Promise<void> {
    this.#names += 1
    const { verdict, words } = this.#choose(hold, isCalm)
    const intent: Intent = { by: `person-${this.#names}`, hold: hold.id, verdict }
    this.#ledger.intents.push(intent)
    const finished = await this.say(words, isCalm ? {} : this.#doom(['approve', '-c', 'tasks']), intent.by)
    if (finished.signal === null && isRecorded(finished.stdout, hold.id)) this.#ledger.acknowledged.push(intent)
  }

  #choose(hold: Hold, isCalm: boolean): { verdict: Verdict; words: string[] } {
    if (hold.kind === 'question') return { verdict: 'respond', words: ['answer', hold.id, 'this one', '--json'] }
    if (hold.kind === 'in_doubt') return this.#afterLook(hold)
    const drawn = isCalm ? 0 : this.#random.next()
    if (drawn > 0.9) return { verdict: 'reject', words: ['reject', hold.id, '--json'] }
    if (drawn > 0.8 && hold.call_id?.startsWith('c')) {
      const edited = JSON.stringify({ command: `./effect.sh g-edited-${hold.call_id} 0` })
      return { verdict: 'edit', words: ['edit', hold.id, '--arguments', edited, '--json'] }
    }
    const advance = !isCalm && this.#random.chance(0.4) ? ['--advance'] : []
    return { verdict: 'approve', words: ['approve', hold.id, ...advance, '--json'] }
  }

  /** Of a call in doubt: it happened, or it is run again. */
  #afterLook({ id, thread_id, call_id, run_id }: Hold): { verdict: Verdict; words: string[] } {
    const happened = call_id?.startsWith('p')
      ? this.#stage.rows('SELECT id FROM runs WHERE parent_run_id = ?', run_id).length > 0
      : this.#stage.effects().some(({ key }) => key === `${thread_id}/${call_id}`)
    return happened
      ? { verdict: 'respond', words: ['answer', id, '--value', '{"exit_code":0}', '--json'] }
      : { verdict: 'approve', words: ['approve', id, '--json'] }
  }

  /** Now and then a process dies at one of its durable writes, on this side of it or that. */
  #doom(own: readonly string[]): Readonly<Record<string, string>> {
    if (!this.#random.chance(0.3)) return {}
    const side = this.#random.oneOf(['before', 'after'])
    const role = this.#random.chance(0.6) ? (this.#random.oneOf(own) ?? '-a') : this.#random.oneOf(ROLES)
    const point = this.#random.chance(0.25) ? CHILD_IS_STARTED : String(Math.ceil(this.#random.between(0, 14)))
    this.#ledger.count(`dooms of ${role}`)
    return crashingIn(role, { CRASH_AT: `${side}:${point}` })
  }
}

function isRecorded(stdout: string, hold: string): boolean {
  try {
    const document = JSON.parse(stdout)
    const receipts = document.receipts ?? [document]
    return receipts.some(
      (each: { outcome: string; hold_id: string }) => each.outcome === 'recorded' && each.hold_id === hold,
    )
  } catch {
    return false
  }
}
