/** Advances runs as the command line does: what is known to fail is found first, and the manifests of pauses stay true. */
import { join } from 'node:path'
import { interactiveOf } from '../../core/fleet/interactive.ts'
import type { Profile } from '../../core/run/profile.ts'
import type { EventSink } from '../../ports/event-sink.ts'
import type { StoreLocation } from '../../ports/store/store-location.ts'
import type { AdvanceOptions, AdvanceResult } from '../../runtime/views/face-options.ts'
import type { RunView } from '../../runtime/views/run-view.ts'
import type { Advance } from '../../runtime/worker/work-options.ts'
import { rehearse } from '../agents/rehearse.ts'
import type { App } from '../compose/compose.ts'
import { KeptManifest } from '../outcome/manifest.ts'
import { type OutcomeDocument, outcomeDocument } from '../outcome/outcome-document.ts'
import type { Io } from '../process/io.ts'
import { projectDirectory } from '../project/project.ts'

export class ProjectRuns {
  readonly #io: Io
  readonly #stoppedBy: () => string | null
  readonly #isStoreKnown: boolean
  readonly #manifests = new Map<string, KeptManifest>()

  /** A reader of hints knows the store if all commands here have it from the environment. */
  constructor({ io, isStoreKnown }: { io: Io; isStoreKnown: boolean }, stoppedBy: () => string | null) {
    this.#io = io
    this.#isStoreKnown = isStoreKnown
    this.#stoppedBy = stoppedBy
  }

  readonly hear: EventSink = event => this.#manifests.get(event.run_id)?.hear(event)

  advance(app: App): Advance {
    const { holdpoint, agents, store } = app
    return async ({ id, thread_id, parent_run_id }, options) => {
      const { run } = await holdpoint.thread(thread_id)
      // A run that is to end needs no agent.
      if (run && !run.cancel && !run.ending)
        await rehearse(agents, run.profile, { runId: id, calls: run.step?.calls.values() })
      const project = run?.profile.project ?? null
      if (project === null) return holdpoint.advance(id, options)
      const pauses = await pausesOf(store, id)
      return this.#advanceIn(project, {
        id,
        app,
        pauses: { ...options, ...pauses },
        isChild: parent_run_id !== null,
      })
    }
  }

  async #advanceIn(
    project: string,
    { id, app, pauses, isChild }: { id: string; app: App; pauses: AdvanceOptions; isChild: boolean },
  ): Promise<AdvanceResult> {
    const manifest = new KeptManifest(this.#io, project, { leaves: !isChild })
    this.#manifests.set(id, manifest)
    try {
      const result = await app.holdpoint.advance(id, pauses)
      if ('profile' in result) await this.#tellTruth(app, manifest, result)
      return result
    } finally {
      this.#manifests.delete(id)
    }
  }

  /** Another process may have gone on with the run before its pause was reported. */
  async #tellTruth(app: App, manifest: KeptManifest, view: RunView): Promise<void> {
    for (let told = view; ; ) {
      manifest.report(this.documentOf(app, told))
      if (told.status !== 'waiting') return
      const now = await app.holdpoint.run(view.id)
      if (now.status === 'waiting' && now.checkpoint_id === told.checkpoint_id) return
      told = now
    }
  }

  documentOf({ store: { location } }: App, view: RunView): OutcomeDocument {
    const isFound = this.#isStoreKnown || isStoreOf(view.profile, location)
    const store = isFound ? null : location.commandUrl
    return outcomeDocument(view, { interrupted: this.#stoppedBy(), store })
  }
}

/**
 * The text pause applies to the invocation that asked for it, as on every resume; all other gating stays. An
 * interactive agent waits for its next message, even if another process went on with it.
 */
async function pausesOf({ tasks }: App['store'], runId: string): Promise<Pick<AdvanceOptions, 'pauseOn'>> {
  const [task] = await tasks.tasks({ subject: runId, limit: 1 })
  return task && interactiveOf(task.details) !== null ? {} : { pauseOn: [] }
}

/** A hint names the store if a reader in the project's directory would not find it otherwise. */
function isStoreOf({ project }: Profile, { file }: StoreLocation): boolean {
  return project !== null && file === join(projectDirectory(project), 'holdpoint.db')
}
