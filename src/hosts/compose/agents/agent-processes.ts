import { existsSync, realpathSync } from 'node:fs'
import { isAbsolute, relative, resolve } from 'node:path'
import type { Profile } from '../../../core/run/profile.ts'
import type { AgentProcesses } from '../../../ports/process/agent-processes.ts'
import { unattended, withheld } from '../../../ports/process/command-environment.ts'
import type { StoreLocation } from '../../../ports/store/store-location.ts'
import type { AgentRegistry } from '../../agents/agent-registry.ts'
import { modelId } from '../../agents/model-id.ts'
import { refuseMissingWorkdir, rehearseStart } from '../../agents/rehearse.ts'
import { ownProgram } from '../../process/own-program.ts'
import { projectRefusals } from '../../refusals/project-refusals.ts'

export interface ProcessDeps {
  readonly agents: AgentRegistry
  /** That of the store, absolute: it works from every directory. */
  readonly location: StoreLocation
  /** Within what agents are started that no run starts. */
  readonly bounds: () => Promise<Profile>
  readonly env: Readonly<Record<string, string | undefined>>
}

/** It waits far longer than it works: a young generation of 4 MB in place of 16 saves more memory than it costs time. */
const AGENT_FLAGS: readonly string[] = ['--max-semi-space-size=4', '--expose-gc']

export function agentProcesses({ agents, location, bounds, env }: ProcessDeps): AgentProcesses {
  const { argv, environment } = location.handOver
  return {
    attend: ({ checkpoint_id, pause_on }) => ({
      argv: [
        ...[process.execPath, ...AGENT_FLAGS, ownProgram('bin')],
        ...['-c', checkpoint_id, '--attend', ...argv, '--output', 'json'],
        ...(pause_on.length > 0 ? ['--pause-on', pause_on.join(',')] : []),
      ],
      environment,
    }),
    shell: command => [existsSync('/bin/bash') ? '/bin/bash' : '/bin/sh', '-c', '--', command],
    changesFor: async profile => {
      const pass = await agents.passedBy(profile)
      return { ...withheld(env, pass), ...unattended(env, pass) }
    },
    bounds,
    modelWithin,
    directoryWithin,
    rehearse: async profile => void (await rehearseStart(agents, profile)),
    rehearseResume: async ({ workdir, ...profile }) => {
      refuseMissingWorkdir(workdir, { do: 'restore_workdir' })
      await agents.model({ workdir, ...profile })
    },
  }
}

function directoryWithin(path: string, within: string): string {
  const wished = resolve(within, path)
  refuseMissingWorkdir(wished)
  const real = realpathSync(wished)
  if (isWithin(real, within)) return real
  throw projectRefusals.outsideStarter(wished, within)
}

/** Errors tell about the content of a script, and so does a run of it. Naming a script therefore means reading it. */
function modelWithin(model: string, { model: own, workdir }: Pick<Profile, 'model' | 'workdir'>): string {
  const id = modelId(workdir, model) ?? model
  const file = id.startsWith(SCRIPT) ? id.slice(SCRIPT.length) : null
  if (file === null || id === own || !existsSync(file) || isWithin(realpathSync(file), workdir)) return id
  throw projectRefusals.outsideStarter2(file, workdir)
}

const SCRIPT = 'script:'

function isWithin(real: string, directory: string): boolean {
  const way = relative(realpathSync(directory), real)
  return way !== '..' && !way.startsWith('../') && !isAbsolute(way)
}
