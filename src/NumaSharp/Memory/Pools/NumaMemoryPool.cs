using System.Buffers;
using System.Numerics;
using System.Runtime.CompilerServices;
using NumaSharp.Core.Memory;

namespace NumaSharp.Core;

/// <summary>
/// A pool of native memory blocks with pages on one node. Blocks are 64-byte aligned, and they and their owner objects are
/// reused: renting and returning allocate nothing in the steady state and take no lock, because each thread has a cache in front
/// of a common depot. Thread-safe; a block may be returned by any thread.
/// </summary>
/// <remarks>
/// Sizes are <see cref="BlockSize"/> times powers of two up to at least 1 MiB; larger requests get a mapping of their own
/// that is released on return. Each thread keeps at most 64 free blocks and about 256 KiB of each size, or two blocks. Memory
/// that is free stays with the pool until <see cref="Trim"/>, or for <see cref="NumaNodeMemoryOptions.TrimAfter"/>. Under
/// <see cref="NumaBindMode.Strict"/> the kernel has nowhere else to take pages from: set
/// <see cref="NumaNodeMemoryOptions.LimitPerNode"/> so that a full node is an exception here and not the out-of-memory killer.
/// A block belongs to its owner, which its <see cref="Memory{T}"/> and <see cref="MemoryHandle"/> keep alive: when the garbage
/// collector finds the owner unreachable, the pool takes the block back. A span, a pointer or an array of it does not count.
/// </remarks>
public sealed partial class NumaMemoryPool : MemoryPool<byte>
{
    internal const int DefaultBlockSize = 4096;
    internal const int LargestPooled = 1024 * 1024;
    internal const int MinBlockSize = 64;

    private readonly Lock _lock = new();
    private readonly NodeMemory _memory;
    private readonly PoolSizeClass[] _classes;
    private readonly List<PoolThreadCache> _caches = [];
    private readonly int _id;
    private readonly int _blockSize;
    private readonly bool _zeroOnReturn;
    private readonly NumaMemoryCheckMode _guarding;
    private readonly PoolChecks? _checks;

    // Requests from this size on, in bytes and one more, are not for a plain block.
    private readonly uint _plainRequests;

    /// <summary>Creates a pool for a node of this machine, with the platform's own providers and advisory binding.</summary>
    /// <param name="numaNodeId">
    /// The kernel id of the node. One that this machine lacks gets the nearest node's memory, which is reported to
    /// <see cref="DefaultFallbacks"/>.
    /// </param>
    /// <param name="blockSize">The size in bytes of an ordinary block, 64 to 1 MiB.</param>
    /// <exception cref="ArgumentOutOfRangeException">An argument is outside its range.</exception>
    public NumaMemoryPool(int numaNodeId, int blockSize = DefaultBlockSize)
        : this(
            new NumaMemoryPoolsOptions { BlockSize = blockSize },
            MemoryDefaults.PlaceOf(NumaNodeId.Check(numaNodeId, nameof(numaNodeId))))
    {
    }

    /// <summary>
    /// Creates a pool for exactly the node of the options: if the machine lacks it, binding is refused, and no nearest node takes
    /// its place.
    /// </summary>
    /// <param name="options">The settings; read once.</param>
    /// <exception cref="ArgumentOutOfRangeException">An option is outside its range.</exception>
    public NumaMemoryPool(NumaMemoryPoolOptions options)
        : this(options ?? throw new ArgumentNullException(nameof(options)), MemoryPlace.Of(options))
    {
    }

    internal NumaMemoryPool(NumaPoolMemoryOptions options, MemoryPlace place)
    {
        options.Validate();
        NodeId = place.NodeId;
        _blockSize = (options.BlockSize + MinBlockSize - 1) & -MinBlockSize;
        _guarding = options.Checks;
        _plainRequests = options.ZeroOnReturn || IsGuarded ? 0 : (uint)_blockSize + 2;
        _zeroOnReturn = options.ZeroOnReturn;
        IsArrayBacked = options.ArrayBacked;
        _fallbacks = options.Fallbacks ?? DefaultFallbacks;
        _memory = MemoryDefaults.MemoryOf(options, place, ToString());
        _checks = _guarding == NumaMemoryCheckMode.Full ? new PoolChecks(this, options.TraceEvery, _fallbacks) : null;
        _classes = CreateClasses(_blockSize, hasMargin: _checks is not null, _memory.PageSize);
        _keepBytes = options.KeepPerNode;
        var time = options.Time ?? BackgroundTime.Trimming;
        _renewing = new RenewalTimer(RenewFree, _moving, time, _fallbacks);
        _trimmer = new IntervalTimer(this, options.TrimAfter, time, _fallbacks);

        // After the timer, for which there may be no thread: only a pool that exists returns its id.
        _id = ThreadSlotIds.Take();
        CollectionSentinel.Watch(this);
    }

    /// <summary>
    /// Receives the fallbacks of pools and allocators that were given no <see cref="NumaFallbacks"/>; the messages also go to
    /// <see cref="System.Diagnostics.Trace"/> as warnings.
    /// </summary>
    public static NumaFallbacks DefaultFallbacks => MemoryDefaults.Fallbacks;

    /// <summary>The kernel id of the node that the pool is for.</summary>
    public NumaNodeId NodeId { get; }

    /// <summary>The kernel id of the node that pages come from; of several, the first of the plan's.</summary>
    public NumaNodeId MemoryNodeId => _memory.MemoryNodeId;

    /// <summary>The size in bytes of an ordinary block.</summary>
    public int BlockSize => _blockSize;

    /// <summary>The largest request, in bytes.</summary>
    public override int MaxBufferSize => int.MaxValue - MinBlockSize;

    /// <summary>The bytes of memory that the pool has taken from the system.</summary>
    public long CommittedBytes => _memory.CommittedBytes;

    /// <summary>The limit in bytes, 0 for none.</summary>
    public long LimitBytes => _memory.LimitBytes;

    internal nuint PageSize => _memory.PageSize;

    /// <summary>The bytes in rented blocks. A snapshot while others rent and return.</summary>
    public long RentedBytes => Sum(
        static (size, free) => (long)(size.Created - free) * size.Length, static slab => (long)slab.Size);

    /// <summary>How many blocks are rented. A snapshot while others rent and return.</summary>
    public long RentedBlocks => Sum(static (size, free) => size.Created - free, static _ => 1);

    /// <summary>The bytes in blocks that wait to be rented. A snapshot while others rent and return.</summary>
    public long PooledBytes => Sum(static (size, free) => (long)free * size.Length, static _ => 0);

    internal bool ClearsBlocks => _zeroOnReturn;

    internal bool IsArrayBacked { get; }

    /// <summary>
    /// Whether wrong use is found: an owner is valid for one rent, so that a kept one is refused for good, and threads have no
    /// caches.
    /// </summary>
    internal bool IsGuarded => _guarding != NumaMemoryCheckMode.None;

    /// <summary>Rents a block.</summary>
    /// <param name="minBufferSize">The least size in bytes, or -1 for <see cref="BlockSize"/>.</param>
    /// <returns>The owner, a <see cref="NumaMemoryBlock"/>; disposing it returns the block. The content is arbitrary.</returns>
    /// <exception cref="ArgumentOutOfRangeException">The size is negative or above <see cref="MaxBufferSize"/>.</exception>
    /// <exception cref="ObjectDisposedException">The pool is disposed.</exception>
    /// <exception cref="OutOfMemoryException">The limit is reached, or the system has no memory.</exception>
    /// <exception cref="NumaException">Strict, and the system refuses to bind.</exception>
    public override IMemoryOwner<byte> Rent(int minBufferSize = -1) => RentBlock(minBufferSize);

    /// <summary>Rents a block, as its own type.</summary>
    /// <param name="minBufferSize">The least size in bytes, or -1 for <see cref="BlockSize"/>.</param>
    /// <returns>The block; disposing it returns it. The content is arbitrary.</returns>
    /// <exception cref="ArgumentOutOfRangeException">The size is negative or above <see cref="MaxBufferSize"/>.</exception>
    /// <exception cref="ObjectDisposedException">The pool is disposed.</exception>
    /// <exception cref="OutOfMemoryException">The limit is reached, or the system has no memory.</exception>
    /// <exception cref="NumaException">Strict, and the system refuses to bind.</exception>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public NumaMemoryBlock RentBlock(int minBufferSize = -1)
    {
        // The call comes first, so that no other value must be kept across it. -1 and 0 to BlockSize are one comparison.
        var cache = PoolThreadCache.Last;
        if (cache is null || (uint)(minBufferSize + 1) >= _plainRequests)
        {
            return RentSlow(minBufferSize);
        }

        // Refusals first: the compiler then saves no registers for what only the slow path needs.
        Volatile.Write(ref cache.Busy, true);
        if (!ReferenceEquals(Volatile.Read(ref cache.Open), this) || !cache.Default.TryPop(out var block))
        {
            Volatile.Write(ref cache.Busy, false);
            return RentSlow(minBufferSize);
        }

        Volatile.Write(ref cache.Busy, false);
        block.OnPlainRented();
        return block;
    }

    /// <summary>The calling thread's cache, for loops: renting and returning there need not find it first.</summary>
    /// <returns>The handle.</returns>
    /// <exception cref="ObjectDisposedException">The pool is disposed.</exception>
    public NumaPoolHandle OpenHandle()
    {
        if (PoolThreadCache.Find(_id, this) is { } found)
        {
            return new NumaPoolHandle(this, found);
        }

        lock (_lock)
        {
            ThrowIfDisposed();
            StackOfThisThread(_classes[0]);

            // Still under the lock: a pool that is disposed has no caches.
            return new NumaPoolHandle(this, PoolThreadCache.Find(_id, this)!);
        }
    }

    /// <summary>
    /// Takes memory for ordinary blocks until the pool has this much from the system, or reaches its limit, and writes to each
    /// page, so that it exists, on its node, before it is rented. Other threads may rent meanwhile. It stays until it is trimmed
    /// (see <see cref="NumaNodeMemoryOptions.KeepPerNode"/>), or memory comes from other nodes.
    /// </summary>
    /// <param name="bytes">The amount, including what the pool has already; 0 or less than that does nothing.</param>
    /// <exception cref="ArgumentOutOfRangeException">It is negative.</exception>
    /// <exception cref="ObjectDisposedException">The pool is disposed.</exception>
    /// <exception cref="OutOfMemoryException">The system has no more memory; what was taken by then stays.</exception>
    /// <exception cref="NumaException">Strict, and the system refuses to bind.</exception>
    public void Preallocate(long bytes)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(bytes);
        while (PreallocateChunk(bytes))
        {
        }
    }

    /// <summary>
    /// The blocks in use by the place in the code that rented them, those with the most bytes first. A snapshot. If some are left
    /// at <see cref="System.Buffers.MemoryPool{T}.Dispose()"/>, the pool reports them as the fallback <c>memory.leak</c>.
    /// </summary>
    /// <returns>One item per place.</returns>
    /// <exception cref="InvalidOperationException">
    /// The pool was created without <see cref="NumaMemoryCheckMode.Full"/>, and does not record this.
    /// </exception>
    public IReadOnlyList<NumaLiveBlocks> GetLiveBlocks() => _checks is not null
        ? _checks.GetLiveBlocks()
        : throw new InvalidOperationException(
            $"Where blocks were rented is recorded only with {nameof(NumaMemoryPoolOptions)}."
            + $"{nameof(NumaMemoryPoolOptions.Checks)} = {nameof(NumaMemoryCheckMode.Full)}.");

    /// <summary>The pool in messages: which node it is for.</summary>
    /// <returns>The text.</returns>
    public override string ToString() => $"memory pool of node {NodeId}";

    /// <summary>Takes back a block of any size, on any thread.</summary>
    internal void Return(NumaMemoryBlock block)
    {
        if (_zeroOnReturn && !block.IsDedicated)
        {
            block.Clear();
        }

        if (block.IsDedicated
            || PoolThreadCache.Find(_id, this) is not { } cache
            || !cache.TryPush(this, block.ClassIndex, block))
        {
            ReturnSlow(block);
        }
    }

    internal string WhereReturned(NumaMemoryBlock block) => _checks?.WhereReturned(block) ?? string.Empty;

    /// <summary>Takes back the memory of a block; its owner stays returned.</summary>
    internal void ReturnGuarded(NumaMemoryBlock block)
    {
        var damage = _checks?.OnReturned(block);
        if (!block.IsDedicated)
        {
            if (_zeroOnReturn && _checks is null)
            {
                block.Clear();
            }

            block = ReplaceOwner(block);
        }

        ReturnSlow(block);
        if (damage is not null)
        {
            throw MemoryModes.Misuse(damage);
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private NumaMemoryBlock RentSlow(int minBufferSize)
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(minBufferSize, -1);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(minBufferSize, MaxBufferSize);
        var classIndex = ClassOf(minBufferSize);
        if (classIndex >= _classes.Length
            || IsGuarded
            || PoolThreadCache.Find(_id, this) is not { } cache
            || !cache.TryPop(this, classIndex, out var block))
        {
            block = classIndex < _classes.Length ? RentLocked(_classes[classIndex]) : RentDedicated(minBufferSize);
        }

        CheckRented(block);
        block.OnRented();
        return block;
    }

    // Class k holds the requests from BlockSize * 2^(k-1) + 1 to BlockSize * 2^k.
    private int ClassOf(int minBufferSize) => minBufferSize <= _blockSize
        ? 0
        : BitOperations.Log2((uint)(minBufferSize - 1) / (uint)_blockSize) + 1;

    private static PoolSizeClass[] CreateClasses(int blockSize, bool hasMargin, nuint pageSize)
    {
        var classes = new List<PoolSizeClass>();
        for (var length = blockSize; classes.Count == 0 || classes[^1].Length < LargestPooled; length *= 2)
        {
            classes.Add(new PoolSizeClass(classes.Count, length, hasMargin, pageSize));
        }

        return [.. classes];
    }

    // Derived when it is read: renting and returning count nothing.
    private long Sum(Func<PoolSizeClass, int, long> ofSize, Func<PoolSlab, long> ofDedicated)
    {
        lock (_lock)
        {
            long sum = 0;
            foreach (var slab in _dedicated)
            {
                sum += slab.IsRetired ? 0 : ofDedicated(slab);
            }

            foreach (var size in _classes)
            {
                var free = size.Free.Count;
                foreach (var cache in _caches)
                {
                    free += cache.StackOf(size.Index).Count;
                }

                // Blocks that move while they are counted are counted twice or not at all.
                sum += ofSize(size, Math.Min(free, size.Created));
            }

            return sum;
        }
    }

    // One chunk (128 KiB, or a block) at a time, touched before other threads see it. They rent free blocks meanwhile.
    private bool PreallocateChunk(long bytes)
    {
        var size = _classes[0];
        lock (size.Growing)
        {
            lock (_lock)
            {
                ThrowIfDisposed();
                if (CommittedBytes >= bytes)
                {
                    return false;
                }
            }

            return TryGrow(size, isTouched: true, out var result)
                || (result.Succeeded ? false : throw _memory.OutOfMemory(bytes, result));
        }
    }

    // Under no lock. The former owner is kept alive until the place has the next one: it must not look abandoned.
    private NumaMemoryBlock ReplaceOwner(NumaMemoryBlock former)
    {
        var block = new NumaMemoryBlock(this, former.Address, former.Length, former.ClassIndex, former.Slab);
        block.Slab.Track(block);
        GC.KeepAlive(former);
        return block;
    }

    private void CheckRented(NumaMemoryBlock block)
    {
        if (_checks?.OnRented(block) is { } damage)
        {
            ReturnSlow(block);
            throw MemoryModes.Misuse(damage);
        }
    }
}
