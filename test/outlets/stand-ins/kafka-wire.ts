/** The primitive types of Kafka's protocol. */
export class Reader {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  get left(): number {
    return this.#bytes.length - this.#at;
  }
  take(length: number): Buffer {
    if (length > this.left) throw new Error('The frame is too short.');
    this.#at += length;
    return this.#bytes.subarray(this.#at - length, this.#at);
  }
  int8 = (): number => this.take(1).readInt8();
  int16 = (): number => this.take(2).readInt16BE();
  int32 = (): number => this.take(4).readInt32BE();
  uint32 = (): number => this.take(4).readUInt32BE();
  int64 = (): bigint => this.take(8).readBigInt64BE();
  string(): string | undefined {
    const length = this.int16();
    return length < 0 ? undefined : this.take(length).toString();
  }
  block = (): Buffer => this.take(this.int32());
  array<T>(read: () => T): T[] | undefined {
    const length = this.int32();
    return length < 0 ? undefined : Array.from({ length }, read);
  }
  /** A number of as many bytes as it needs, its sign in the lowest bit. */
  varint(): number {
    let [value, shift] = [0n, 0n];
    for (;;) {
      const byte = this.take(1)[0]!;
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return Number((value >> 1n) ^ -(value & 1n));
      shift += 7n;
    }
  }
  varblock(): Buffer | undefined {
    const length = this.varint();
    return length < 0 ? undefined : this.take(length);
  }
}

export class Writer {
  readonly #parts: Buffer[] = [];

  get bytes(): Buffer {
    return Buffer.concat(this.#parts);
  }
  #add(length: number, write: (part: Buffer) => void): this {
    const part = Buffer.alloc(length);
    write(part);
    this.#parts.push(part);
    return this;
  }
  int8 = (value: number): this => this.#add(1, (part) => part.writeInt8(value));
  int16 = (value: number): this => this.#add(2, (part) => part.writeInt16BE(value));
  int32 = (value: number): this => this.#add(4, (part) => part.writeInt32BE(value));
  int64 = (value: bigint): this => this.#add(8, (part) => part.writeBigInt64BE(value));
  string(value: string | null): this {
    if (value === null) return this.int16(-1);
    const bytes = Buffer.from(value);
    return this.int16(bytes.length).#add(bytes.length, (part) => bytes.copy(part));
  }
  array<T>(items: readonly T[], write: (item: T) => unknown): this {
    this.int32(items.length);
    for (const item of items) write(item);
    return this;
  }
}
