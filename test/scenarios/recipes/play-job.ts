/**
 * Plays a Kubernetes Job: its pods one after the other, its `podFailurePolicy` as the documentation has it: the first rule
 * that fits a failed pod counts, and one that none fits counts towards `backoffLimit`. Fails on what it does not know.
 */
import { spawnSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { parseAllDocuments } from 'yaml'
import { installCommand } from '../project.ts'

// biome-ignore lint/suspicious/noExplicitAny: manifests are checked key by key as they are played
type Yaml = any

export interface Pod {
  readonly exit: number
  readonly log: string
}

export interface PlayedJob {
  readonly condition: 'Complete' | 'Failed'
  /** As `.status.conditions` says it; `null` where it is complete. */
  readonly reason: 'PodFailurePolicy' | 'BackoffLimitExceeded' | null
  readonly pods: readonly Pod[]
}

export interface JobOptions {
  /** In place of what the manifest says. */
  readonly env?: Readonly<Record<string, string>>
  /** What its pods find in their environment besides, by number; a pod that dies by a signal was disrupted. */
  readonly disrupt?: Readonly<Record<number, Readonly<Record<string, string>>>>
}

export class Cluster {
  readonly #directory: string
  readonly #documents: readonly Yaml[]

  constructor(directory: string, manifests: string) {
    this.#directory = directory
    this.#documents = parseAllDocuments(manifests).map(document => document.toJS())
  }

  /** Where a claim of a volume keeps its files. */
  volume(claim: string): string {
    const path = join(this.#directory, claim)
    mkdirSync(path, { recursive: true })
    return path
  }

  play(name: string, options: JobOptions = {}): PlayedJob {
    const { spec } = this.#find('Job', name)
    only(spec, ['backoffLimit', 'podFailurePolicy', 'template'])
    only(spec.template.spec, ['restartPolicy', 'containers', 'volumes'])
    if (spec.template.spec.restartPolicy !== 'Never') throw new Error('podFailurePolicy asks for restartPolicy: Never')
    const pods: Pod[] = []
    for (let counted = 0; ; ) {
      const pod = this.#playPod(spec.template.spec, { ...options.env, ...options.disrupt?.[pods.length] })
      pods.push(pod)
      if (pod.exit === 0) return { condition: 'Complete', reason: null, pods }
      const action = actionFor(spec.podFailurePolicy, pod)
      if (action === 'FailJob') return { condition: 'Failed', reason: 'PodFailurePolicy', pods }
      if (action === 'Count') counted += 1
      if (counted > spec.backoffLimit) return { condition: 'Failed', reason: 'BackoffLimitExceeded', pods }
    }
  }

  #find(kind: string, name: string): Yaml {
    const found = this.#documents.find(document => document.kind === kind && document.metadata.name === name)
    if (!found) throw new Error(`there is no ${kind} ${name}`)
    return found
  }

  #playPod({ containers, volumes }: Yaml, env: Readonly<Record<string, string>>): Pod {
    const [container, ...others] = containers
    if (others.length > 0) throw new Error('one container is known here')
    only(container, ['name', 'image', 'command', 'workingDir', 'env', 'volumeMounts'])
    const mounts = new Map<string, string>(
      container.volumeMounts.map((mount: Yaml) => [mount.mountPath, this.#mounted(volumes, mount)]),
    )
    const [program, ...args] = container.command.map((word: string) => inMount(word, mounts))
    const own = Object.fromEntries(container.env.map((entry: Yaml) => [entry.name, variable(entry)]))
    const { status, signal, stdout, stderr } = spawnSync(program, args, {
      cwd: inMount(container.workingDir, mounts),
      encoding: 'utf8',
      env: { PATH: `${this.#image()}:/usr/bin:/bin`, HOME: this.#directory, ...own, ...env },
    })
    return { exit: signal === null ? (status ?? 1) : 137, log: stdout + stderr }
  }

  #mounted(volumes: readonly Yaml[], { name, ...rest }: Yaml): string {
    only(rest, ['mountPath'])
    const volume = volumes.find(each => each.name === name)
    only(volume, ['name', 'persistentVolumeClaim', 'configMap'])
    if (volume.persistentVolumeClaim) {
      const { claimName } = volume.persistentVolumeClaim
      this.#find('PersistentVolumeClaim', claimName)
      return this.volume(claimName)
    }
    const path = this.volume(`config-${volume.configMap.name}`)
    for (const [file, text] of Object.entries<string>(this.#find('ConfigMap', volume.configMap.name).data))
      writeFileSync(join(path, file), text)
    return path
  }

  /** What the image brings. */
  #image(): string {
    const bin = this.volume('bin')
    installCommand(bin)
    return `${bin}:${dirname(process.execPath)}`
  }
}

/** A pod that was killed from outside has the condition that its node was drained. */
function actionFor(policy: Yaml, { exit }: Pod): string {
  only(policy, ['rules'])
  const conditions = exit === 137 ? ['DisruptionTarget'] : []
  const rule = policy.rules.find((each: Yaml) => {
    only(each, ['action', 'onExitCodes', 'onPodConditions'])
    if (each.onPodConditions) return each.onPodConditions.some(({ type }: Yaml) => conditions.includes(type))
    const { operator, values } = each.onExitCodes
    if (operator !== 'In' || values.includes(0)) throw new Error('this rule is not known here')
    return values.includes(exit)
  })
  const action = rule?.action ?? 'Count'
  if (!['FailJob', 'Ignore', 'Count'].includes(action)) throw new Error(`this action is not known here: ${action}`)
  return action
}

function variable({ name, value, ...rest }: Yaml): string {
  only(rest, [])
  if (typeof value !== 'string') throw new Error(`${name} has no value`)
  return value
}

function inMount(word: string, mounts: ReadonlyMap<string, string>): string {
  for (const [path, directory] of mounts)
    if (word === path || word.startsWith(`${path}/`)) return directory + word.slice(path.length)
  return word
}

function only(value: object, keys: readonly string[]): void {
  const unknown = Object.keys(value).find(key => !keys.includes(key))
  if (unknown !== undefined) throw new Error(`this key is not known here: ${unknown}`)
}
