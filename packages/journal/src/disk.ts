/** The files of a journal's folder, to be read only. */
export interface ReadDisk {
  /** The names of the files. */
  list(): Promise<readonly string[]>;
  open(name: string): Promise<ReadFile>;
  /** Whether another process may write to it meanwhile. Undefined: no. */
  readonly isShared?: true;
}

export interface ReadFile {
  size(): Promise<number>;
  /** Reads what there is of these bytes. */
  read(length: number, at: number): Promise<Buffer>;
  close(): Promise<void>;
}

/** The files of a journal's folder, as far as it uses them. Another one in tests loses power and fails. */
export interface Disk extends ReadDisk {
  /** Opens a file to read and write it. */
  open(name: string): Promise<DiskFile>;
  /** Creates an empty file, in place of one that there is. */
  create(name: string): Promise<DiskFile>;
  rename(from: string, to: string): Promise<void>;
  remove(name: string): Promise<void>;
  /** Makes created, renamed and removed names survive a power failure. */
  syncFolder(): Promise<void>;
}

export interface DiskFile extends ReadFile {
  /** Hands all the bytes to the operating system, at once, so that the end of this process does not lose them. */
  write(data: Uint8Array, at: number): void;
  truncate(size: number): Promise<void>;
  /** Makes what was written survive a power failure. */
  sync(): Promise<void>;
  /** The same in this thread, where nothing else runs meanwhile. */
  syncNow(): void;
}
