namespace NumaSharp.Benchmarks.Tests.Docs;

public sealed class MeasuredClaimsTests
{
    [Theory]
    [InlineData("A request takes 9.1 us.", "9.1 us")]
    [InlineData("Renting is 12 ns\nof CPU time.", "12 ns")]
    [InlineData("- The wait is 3 to 5 ms, with little load.", "5 ms")]
    [InlineData("It uses 40 % of a CPU.", "40 %")]
    [InlineData("The image is 31 MB.", "31 MB")]
    [InlineData("It takes a few milliseconds.", "few milliseconds")]
    [InlineData("It saves several microseconds.", "several microseconds")]
    [InlineData("The watchdog uses half a percent of a CPU.", "half a percent")]
    [InlineData("The ratio of memory is 0.44.", "0.44")]
    [InlineData("| `ping cpu` | 0.62 |", "0.62")]
    [InlineData("A start took up to 1.4 s.", "1.4 s")]
    [InlineData("It is 12 times faster.", "")]
    [InlineData("It is faster than the pool of threads.", "")]
    [InlineData("It needs less CPU\nthan others.", "")]
    [InlineData("It takes two fifths of the memory.", "")]
    [InlineData("Off, it costs nothing.", "")]
    [InlineData("| `Adaptive` (default) | costs less |", "")]
    public void Find_AFigureOrAComparison_IsFound(string page, string figure)
    {
        var claim = Assert.Single(MeasuredClaims.Find(page));

        Assert.Equal(figure, claim.Figure);
    }

    [Theory]
    [InlineData("`StallThreshold` is `1ms` by default.")]
    [InlineData("| `Transport:StallThreshold` | `1ms` | from 100 us to 10 s | How long code may block |")]
    [InlineData("| `--interval TIME` | 100 ms |")]
    [InlineData("| `NumaCrossNodeMemory` | more than 30 % of the allocations are remote |")]
    [InlineData("A connection's blocks grow from 4 KiB to 128 KiB.")]
    [InlineData("It is tried again after five seconds, and given up after 30 s.")]
    [InlineData("TLS 1.3, Linux 5.17, NumaSharp 1.0.1, kubelet v1.33 and 127.0.0.1:5080.")]
    [InlineData("See [how long](0012-12-ms.md).")]
    [InlineData("# A title of 12 ms")]
    [InlineData("    curl --max-time 12 ms")]
    [InlineData("```\nIt takes 12 ms.\n```")]
    public void Find_NothingMeasured_FindsNothing(string page) => Assert.Empty(MeasuredClaims.Find(page));

    [Fact]
    public void Find_SeveralBlocks_NamesTheLineWhereTheBlockBegins() => Assert.Equal(
        [4, 6],
        MeasuredClaims.Find("# Title\n\n| a | b |\n| 7 % | c |\n\nIt takes\n9 us, `1ms`\n\n```\n8 ns\n```\n")
            .Select(static claim => claim.Line));

    [Theory]
    [InlineData("It takes 9 us ([`ping cpu`](benchmarks.md#rows-of-http)).", true)]
    [InlineData("It takes 9 us. The rows [`ping cpu`, `get-4k cpu`](../guide/benchmarks.md#rows-of-http) show it.", true)]
    [InlineData("It takes 9 us. The [rows](benchmarks.md#rows-of-http) `ping cpu` show it.", false)]
    [InlineData("It takes 9 us ([`ping cpu`](benchmarks.md)).", false)]
    [InlineData("It takes 9 us.\n\nThe next paragraph has [`ping cpu`](benchmarks.md#rows-of-http).", false)]
    [InlineData("It takes 9 us ([decision 1](decisions/0001.md)).", true)]
    [InlineData("It takes 8 us ([decision 1](decisions/0001.md)).", false)]
    [InlineData("It takes 9 us ([decision 2](decisions/0002.md)).", false)]
    [InlineData("It takes 9 us ([the guide](guide.md)).", false)]
    [InlineData("It needs less CPU ([decision 1](decisions/0001.md)).", true)]
    public void IsSupported_Claim_IfARowOrAPageWithTheFigureIsBesideIt(string text, bool expected)
    {
        using var folder = new TemporaryFolder();
        Directory.CreateDirectory(folder.PathOf("decisions"));
        File.WriteAllText(folder.PathOf("decisions/0001.md"), "A request took 9\nus.");
        File.WriteAllText(folder.PathOf("guide.md"), "A request took 9 us.");

        Assert.Equal(expected, Assert.Single(MeasuredClaims.Find(text)).IsSupported(folder.Path));
    }

    [Fact]
    public void RowsIn_ALinkOfTwoLines_HasTheNamesAndTheKind() => Assert.Equal(
        [("http", "ping cpu"), ("http", "get-4k cpu"), ("pool", "pool single")],
        ClaimSupport.RowsIn(
            "[`ping cpu`, `get-4k\ncpu`](docs/guide/benchmarks.md#rows-of-http), [`pool single`](benchmarks.md#rows-of-pool)"));

    [Theory]
    [InlineData("memory", "alloc 64B vs mimalloc", true)]
    [InlineData("pool", "pool single", true)]
    [InlineData("scheduler", "await nested, context", true)]
    [InlineData("http", "ping cpu", true)]
    [InlineData("http", "get-64k p99-256 node", true)]
    [InlineData("http", "low-rate cpu-50 vs inline", true)]
    [InlineData("http", "10k idle transport", true)]
    [InlineData("http", "one blocks p99.9", true)]
    [InlineData("http", "idle cpu", true)]
    [InlineData("udp", "flood 64 cpu ours vs pooled", true)]
    [InlineData("udp", "flood 64 bytes ours", true)]
    [InlineData("stop", "stop h1 lost", true)]
    [InlineData("locality", "buffers at packets vs sockets", true)]
    [InlineData("locality", "heap recycled vs NativeMemory", true)]
    [InlineData("locality", "heap recycled", false)]
    [InlineData("http", "ping", false)]
    [InlineData("http", "pool single", false)]
    [InlineData("memory", "alloc 65B vs mimalloc", false)]
    [InlineData("unknown", "ping cpu", false)]
    public void Have_Row_IfTheBenchmarkHasIt(string kind, string row, bool expected) =>
        Assert.Equal(expected, BenchmarkRows.Have(kind, row));
}
