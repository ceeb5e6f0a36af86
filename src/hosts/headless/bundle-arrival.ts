/**
 * `-c FILE`: a run that comes from another store. Keeps: a refusal comes before the import, and leaves the file as it
 * is. One process takes the file before the import, and uses it up after it. After a crash in between, all of it can be
 * done again.
 */
import { resolve } from 'node:path'
import { RefusedError } from '../../core/errors.ts'
import { fold } from '../../core/journal/fold.ts'
import type { Run } from '../../core/journal/thread.ts'
import { isAgentActor } from '../../core/people/agent-actor.ts'
import type { ProfileChanges } from '../../core/run/profile.ts'
import { StoreLocation } from '../../ports/store/store-location.ts'
import type { Holdpoint } from '../../runtime/face/holdpoint.ts'
import type { Bundle } from '../../runtime/threads/bundles.ts'
import type { ProfileDeps } from '../agents/profile/run-profile.ts'
import { BundleFile } from '../bundles/bundle-file.ts'
import { bundleKey } from '../bundles/bundle-key.ts'
import { unsealBundle } from '../bundles/seal-bundle.ts'
import { openApp } from '../compose/compose.ts'
import { ProgressMeter } from '../display/progress-meter.ts'
import { actor } from '../process/actor.ts'
import type { Io } from '../process/io.ts'
import { processLiveness } from '../process/process-liveness.ts'
import { movedPaths } from './moved-paths.ts'
import { isPlaceName } from './named-checkpoint.ts'
import { planGoingOn, type ResumeRequest, type Scene } from './plan-resume.ts'
import { refusalOf } from './refusal-of.ts'
import type { RunRequest } from './run-request.ts'

const NOBODY: Pick<Scene, 'reporter'> = {
  reporter: { knows: () => {}, toldAt: () => {}, tidy: () => {} },
}

/** Where to tell what happens, if at all. */
interface Shown {
  readonly io: Io
  readonly isQuiet: boolean
}

/** A bundle that can be imported and resumed as it is asked for, as far as can be known without its store. */
export class BundleArrival {
  readonly #site: ProfileDeps
  readonly #file: BundleFile
  readonly #text: string
  readonly #bundle: Bundle
  readonly #resume: ResumeRequest

  private constructor(
    site: ProfileDeps,
    arrived: { file: BundleFile; text: string; bundle: Bundle; request: RunRequest },
  ) {
    const { file, text, bundle, request } = arrived
    const { thread_id, checkpoint_id } = bundle.header
    const { run } = fold(thread_id, bundle.thread.events)
    this.#site = site
    this.#file = file
    this.#text = text
    this.#bundle = bundle
    const moved = movedPaths((run as Run).profile, site.directory, request)
    this.#resume = { ...request, checkpoint: checkpoint_id, moved }
  }

  /** `null` if a checkpoint is named by its id. @throws RefusedError; then nothing was changed. */
  static async open(
    site: ProfileDeps,
    request: RunRequest,
    store: string,
    shown: Shown,
  ): Promise<BundleArrival | null> {
    const { checkpoint: word, keyFile } = request
    if (word === null || isPlaceName(word)) return null
    const { file: place, display } = new StoreLocation(store)
    const user = { liveness: processLiveness(), store: resolve(site.directory, place ?? display) }
    const file = BundleFile.find(resolve(site.directory, word), user)
    if (!file) throw unknownCheckpoint(word)
    refuseAgent(actor(site.env))
    const key = await bundleKey(keyFile, site.env)
    const text = await file.read()
    const arrival = new BundleArrival(site, { file, text, bundle: await unsealBundle(text, key), request })
    await arrival.#rehearse(shown)
    return arrival
  }

  /** All of it, in a store that is forgotten: what is refused there, would have been refused here. */
  async #rehearse(shown: Shown): Promise<void> {
    const { directory, env, agents } = this.#site
    await using app = await openApp({ store: 'memory:', directory, env }, agents)
    await this.#import(app.holdpoint, { ...shown, label: 'Checking' })
    const plan = await planGoingOn({ app, site: this.#site, ...NOBODY }, this.#resume)
    if (this.#resume.fork) return
    const receipts = await app.holdpoint.decideMany(plan.decisions)
    const refused = receipts.filter(({ outcome }) => outcome !== 'recorded')
    if (refused.length > 0) throw refusalOf(refused)
  }

  /** Imports it into the store here. @throws RefusedError `already_imported` and the like; then the file is as it was. */
  async into(holdpoint: Holdpoint, { io, isQuiet }: Shown): Promise<ResumeRequest> {
    this.#file.take()
    try {
      if ((await this.#file.read()) !== this.#text) throw changedMeanwhile(this.#file.path)
      await this.#import(holdpoint, { io, isQuiet, label: 'Importing' })
    } catch (thrown) {
      if (!this.#mayGoOnAfter(thrown)) {
        this.#file.giveBack()
        throw thrown
      }
    }
    const used = this.#file.markUsed()
    if (!isQuiet) io.err(this.#notice(used))
    return this.#resume
  }

  /** A process that died between the import and its end did import it. A fork goes on beside the imported run. */
  #mayGoOnAfter(thrown: unknown): boolean {
    const isHere = thrown instanceof RefusedError && thrown.code === 'already_imported'
    return isHere && (this.#file.wasLeft || this.#resume.fork)
  }

  async #import(holdpoint: Holdpoint, { io, isQuiet, label }: Shown & { readonly label: string }): Promise<void> {
    using meter = new ProgressMeter({ io, env: this.#site.env, json: isQuiet }, { label, unit: 'events' })
    const authenticated = this.#isEncrypted
    const by = actor(this.#site.env)
    await holdpoint.bundles.import(this.#bundle, {
      ...{ by, surface: 'cli', authenticated, changes: this.#resume.moved },
      onProgress: (events, of) => meter.tell(events, of),
    })
  }

  get #isEncrypted(): boolean {
    return this.#bundle.header.encryption !== null
  }

  #notice(used: string): string {
    const { bundle_id, thread_id } = this.#bundle.header
    const lines = [`holdpoint: imported ${bundle_id} (session ${thread_id}); its file is ${used} now.`]
    const paths = pathsIn(this.#resume.moved)
    if (paths.length > 0) lines.push(`  Its files are looked for here: ${paths.join(', ')}.`)
    if (!this.#isEncrypted)
      lines.push('  warning: it is not encrypted: whoever could write the file could have forged approvals in it.')
    return `${lines.join('\n')}\n`
  }
}

function pathsIn({ workdir, agent_file, model }: ProfileChanges): string[] {
  return [workdir, agent_file, model].flatMap(path => path ?? [])
}

function refuseAgent(by: string): void {
  if (!isAgentActor(by)) return
  throw new RefusedError('agent_cannot_import', `${by} is an agent, and only people and pipelines move runs.`, {
    hint: 'Import it from outside of the run of an agent. Nothing was imported.',
  })
}

function unknownCheckpoint(word: string): RefusedError {
  return new RefusedError(
    'unknown_checkpoint',
    `${JSON.stringify(word)} is no checkpoint, and there is no such file.`,
    {
      hint: '`holdpoint runs` lists the runs of a store with their checkpoints, which begin with cp_; a bundle is named by its file.',
    },
  )
}

function changedMeanwhile(path: string): RefusedError {
  return new RefusedError('bundle_damaged', `${path} was changed while it was looked at.`, {
    hint: 'Nothing was imported. Run the command again.',
  })
}
