using NumaSharp.Playground.Benchmarks;
using NumaSharp.Playground.Benchmarks.Measurement;

namespace NumaSharp.Benchmarks.Tests.Measurement;

public sealed class SpscRingTests
{
    private const int Batches = 1000;

    [Fact]
    public void Hand_TwoThreads_PassesEveryItemOnceInOrder()
    {
        var ring = new SpscRing<long>();
        using var team = new WorkerTeam(new int?[2]);
        var wrong = 0;
        var seen = 0L;

        team.Run(thread => ring.Hand(Produce, Consume)(thread, Batches));

        Assert.Equal((0, (long)Batches * SpscRing<long>.Batch), (wrong, seen));

        void Produce(int batches)
        {
            var next = 0L;
            for (var i = 0; i < batches; i++)
            {
                foreach (ref var item in ring.BeginWrite())
                {
                    item = next++;
                }

                ring.EndWrite();
            }
        }

        void Consume(int batches)
        {
            for (var i = 0; i < batches; i++)
            {
                foreach (var item in ring.BeginRead())
                {
                    wrong += item == seen++ ? 0 : 1;
                }

                ring.EndRead();
            }
        }
    }

    [Fact]
    public void Hand_ProducerThatFails_EndsTheConsumerToo()
    {
        var ring = new SpscRing<long>();
        using var team = new WorkerTeam(new int?[2]);
        var ended = false;

        Assert.Throws<NotSupportedException>(() => team.Run(thread =>
            ring.Hand(_ => throw new NotSupportedException(), _ =>
            {
                ended = Assert.Throws<BenchmarkException>(() => ring.BeginRead().Length) is not null;
            })(thread, Batches)));

        Assert.True(ended);
    }
}
