import { dirname, join, resolve } from 'node:path'
import type { Tool } from '../../ports/agent/tool.ts'
import { type Passed, unattendedEnvironment } from '../../ports/process/command-environment.ts'
import { StoreLocation } from '../../ports/store/store-location.ts'
import type { BoxOptions } from '../../tools/box/box.ts'
import { BOX_DEFAULTS } from '../../tools/box/box-settings.ts'
import { builtInTools } from '../../tools/built-in-tools.ts'
import { recordCall } from '../process/calls/call-record.ts'
import { noteCommand } from '../process/lineage/command-notes.ts'
import { DEFAULT_STORE } from '../project/store-url.ts'
import type { OpenOptions } from './open-options.ts'

type ToolsFor = (pass: Passed) => ReadonlyMap<string, Tool>

/** The tools that come with Holdpoint, for the variables that their commands inherit. */
export function ownTools(options: OpenOptions, env: NodeJS.ProcessEnv): ToolsFor {
  return oncePer(pass =>
    builtInTools({
      environment: unattendedEnvironment(env, pass),
      noteCommand,
      recordCall,
      allow: pass.hosts ?? [],
      ...boxOptions({ ...options, env }),
    }),
  )
}

function oncePer(make: ToolsFor): ToolsFor {
  const made = new Map<string, ReadonlyMap<string, Tool>>()
  return pass => {
    const key = JSON.stringify(pass)
    const tools = made.get(key) ?? make(pass)
    made.set(key, tools)
    return tools
  }
}

/** Where the commands of a project have their boxes; left out if the environment switches them off. */
export function boxOptions({ store = DEFAULT_STORE, env = process.env, directory = '.' }: OpenOptions): {
  readonly box?: BoxOptions
} {
  if (env['HOLDPOINT_BOX'] === 'off') return {}
  const root = resolve(directory)
  const file = typeof store === 'string' ? new StoreLocation(store).file : null
  const storeFile = file === null ? null : resolve(root, file)
  const beside = storeFile === null ? join(root, '.holdpoint') : dirname(storeFile)
  return { box: { directory: join(beside, 'boxes'), storeFile, settings: BOX_DEFAULTS } }
}
