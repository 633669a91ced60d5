namespace NumaSharp.Plugins.Windows.Tests.Support;

/// <summary>Machines as Windows describes them.</summary>
internal static class Machines
{
    private const ulong All = ulong.MaxValue;

    /// <summary>4 cores with 2 threads each, one node, one cache; with caches of other kinds and levels beside it.</summary>
    public static FakeMachine Desktop() => new(new RecordBuilder()
        .Package((0, 0xFF))
        .Core((0, 0x03)).Cache(1, 1, 32 << 10, (0, 0x03)).Cache(1, 2, 48 << 10, (0, 0x03)).Cache(2, 0, 1 << 20, (0, 0x03))
        .Core((0, 0x0C)).Cache(2, 0, 1 << 20, (0, 0x0C))
        .Core((0, 0x30)).Cache(2, 0, 1 << 20, (0, 0x30))
        .Core((0, 0xC0)).Cache(2, 0, 1 << 20, (0, 0xC0))
        .Cache(3, 0, 32 << 20, (0, 0xFF))
        .EarlierNode(0, 0, 0xFF)
        .Raw(5, new byte[40])
        .Groups(0xFF))
    {
        AvailableBytes = { [0] = 12UL << 30 },
        TotalPhysical = 32UL << 30,
        AvailablePhysical = 11UL << 30,
    };

    /// <summary>2 performance cores with 2 threads, and 4 efficient ones with 1, which share an L2 and have no L3.</summary>
    public static FakeMachine Hybrid() => new(new RecordBuilder()
        .Core((0, 0x03)).Core((0, 0x0C)).Core((0, 0x10)).Core((0, 0x20)).Core((0, 0x40)).Core((0, 0x80))
        .Cache(2, 0, 2 << 20, (0, 0x03)).Cache(2, 0, 2 << 20, (0, 0x0C)).Cache(2, 0, 4 << 20, (0, 0xF0))
        .Cache(3, 0, 24 << 20, (0, 0x0F))
        .Package((0, 0xFF))
        .Node(0, (0, 0xFF))
        .Groups(0xFF))
    {
        AvailableBytes = { [0] = 8UL << 30 },
        TotalPhysical = 16UL << 30,
    };

    /// <summary>2 packages of 48 CPUs, a group and a node each: the second group's ids begin at 64.</summary>
    public static FakeMachine TwoGroups() => new(new RecordBuilder()
        .Package((0, All >> 16)).Package((1, All >> 16))
        .EarlierNode(0, 0, All >> 16).EarlierNode(1, 1, All >> 16)
        .Groups(All >> 16, All >> 16))
    {
        HighestNode = 1,
        AvailableBytes = { [0] = 60UL << 30, [1] = 50UL << 30 },
        TotalPhysical = 128UL << 30,
    };

    /// <summary>Windows Server 2022 on one package of 128 CPUs: one node over two groups.</summary>
    public static FakeMachine WideNode() => new(new RecordBuilder()
        .Package((0, All), (1, All))
        .Cache(3, 0, 256 << 20, (0, All), (1, All))
        .Node(0, (0, All), (1, All))
        .Groups(All, All))
    {
        HasServer2022 = true,
        NodeMasks = { [0] = [(0, All), (1, All)] },
        AvailableBytes = { [0] = 100UL << 30 },
        TotalPhysical = 256UL << 30,
    };

    /// <summary>Node 1 has memory and no CPUs; there is no node 2; node 3 has CPUs and no memory.</summary>
    public static FakeMachine MemoryOnly() => new(new RecordBuilder()
        .Node(0, (0, 0x0F)).Node(3, (0, 0xF0))
        .Groups(0xFF))
    {
        HasServer2022 = true,
        HighestNode = 3,
        NodeMasks = { [0] = [(0, 0x0F)], [1] = [], [3] = [(0, 0xF0)] },
        AvailableBytes = { [0] = 10UL << 30, [1] = 90UL << 30, [3] = 0 },
        TotalPhysical = 128UL << 30,
    };
}
