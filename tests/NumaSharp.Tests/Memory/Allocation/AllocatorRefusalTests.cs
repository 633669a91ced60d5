using NumaSharp.Core;

namespace NumaSharp.Tests.Core.Memory;

/// <summary>Each single call to the system refused once, and all from each call on, in every mode.</summary>
public abstract unsafe class AllocatorRefusalTests(NumaMemoryCheckMode checks)
{
    private static readonly int[] s_sizes = [64, 100_000, 500_000, 5000, 1000, 262_144];

    // What one run has requested: each has a new allocator.
    private FaultyMemoryProvider _memory = new();
    private FaultyMemoryProvider _own = new();
    private int _calls;

    public enum Refused
    {
        Commit,
        OwnCommit,
        Reserve,
        OwnReserve,
    }

    [Theory]
    [InlineData(Refused.Commit, 1)]
    [InlineData(Refused.Commit, int.MaxValue)]
    [InlineData(Refused.OwnCommit, 1)]
    [InlineData(Refused.OwnCommit, int.MaxValue)]
    [InlineData(Refused.Reserve, 1)]
    [InlineData(Refused.Reserve, int.MaxValue)]
    [InlineData(Refused.OwnReserve, 1)]
    [InlineData(Refused.OwnReserve, int.MaxValue)]
    public void Work_EachCallRefused_FailsCleanlyAndRecovers(Refused refused, int times)
    {
        var first = 0;
        do
        {
            first++;
            (_memory, _own, _calls) = (new FaultyMemoryProvider(), new FaultyMemoryProvider(), 0);
            Refuse(refused, first, times);
            if (Create() is { } allocator)
            {
                // For its own data the allocator has a way without.
                var failures = Work(allocator);
                Assert.True(failures == 0 || refused is Refused.Commit or Refused.Reserve, $"{failures} failures.");
                Refuse(refused, 0, times: 0);
                Assert.Equal(0, Work(allocator));
                allocator.Trim();
                Assert.Equal(0, allocator.CommittedBytes);
                allocator.Dispose();
            }
            else
            {
                Assert.NotEqual(Refused.Commit, refused);
            }

            Assert.Equal((0, 0), (_memory.ReservationCount, _own.ReservationCount));
        }
        while (_calls >= first);

        Assert.True(first > 2, $"{refused} was asked for {first - 1} times.");
    }

    private void Refuse(Refused refused, int first, int times)
    {
        var provider = refused is Refused.OwnCommit or Refused.OwnReserve ? _own : _memory;
        NumaResult Answer() => ++_calls >= first && _calls - first < times ? FaultyMemoryProvider.NoMemory : NumaResult.Success;
        if (refused is Refused.Commit or Refused.OwnCommit)
        {
            provider.OnCommit = times == 0 ? static () => NumaResult.Success : Answer;
        }
        else
        {
            provider.OnReserve = times == 0 ? static () => NumaResult.Success : Answer;
        }
    }

    private NumaAllocator? Create()
    {
        try
        {
            return new NumaAllocator(TestMachines.WithIds(0, 2).Plan(), new NumaAllocatorOptions
            {
                Memory = _memory,
                OwnMemory = _own,
                Affinity = new ThreadOnNode(),
                AddressSpacePerNode = 64L << 20,
                Checks = checks,
                TraceEvery = 0,
            });
        }
        catch (OutOfMemoryException)
        {
            return null;
        }
    }

    // Some blocks change their size; those of a second thread are freed by the first.
    private static int Work(NumaAllocator allocator)
    {
        var held = new List<(nint Address, int Size)>();
        var failures = 0;
        for (var thread = 0; thread < 2; thread++)
        {
            TestThreads.Run(1, _ =>
            {
                for (var i = 0; i < 300; i++)
                {
                    var size = s_sizes[i % 50 == 0 ? i / 50 : 0];
                    try
                    {
                        var block = allocator.Allocate((nuint)size, nodeId: new(i % 100 < 50 ? 0 : 2));
                        new Span<byte>(block, size).Fill((byte)held.Count);
                        held.Add(((nint)block, size));
                        held[^1] = ((nint)allocator.Reallocate(block, (nuint)(size + (i % 3))), size);
                    }
                    catch (OutOfMemoryException)
                    {
                        failures++;
                    }
                }
            });
            Free(allocator, held, from: thread == 0 ? held.Count / 2 : 0);
            allocator.Trim();
        }

        Assert.Equal(0, allocator.AllocatedBytes);
        return failures;
    }

    private static void Free(NumaAllocator allocator, List<(nint Address, int Size)> held, int from)
    {
        for (var i = held.Count - 1; i >= from; i--)
        {
            Assert.False(new Span<byte>((void*)held[i].Address, held[i].Size).ContainsAnyExcept((byte)i));
            allocator.Free((void*)held[i].Address);
        }

        held.RemoveRange(from, held.Count - from);
    }

    public sealed class Unchecked() : AllocatorRefusalTests(NumaMemoryCheckMode.None);

    public sealed class Checked() : AllocatorRefusalTests(NumaMemoryCheckMode.Full);

    public sealed class Hardened() : AllocatorRefusalTests(NumaMemoryCheckMode.Hardened);
}
