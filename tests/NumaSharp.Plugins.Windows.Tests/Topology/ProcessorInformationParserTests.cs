using NumaSharp.Core;
using NumaSharp.Plugins.Windows.Tests.Support;
using NumaSharp.Plugins.Windows.Topology;

namespace NumaSharp.Plugins.Windows.Tests.Topology;

public sealed class ProcessorInformationParserTests
{
    [Fact]
    public void Parse_NoRecords_HasNothing()
    {
        var processors = ProcessorInformationParser.Parse([]);
        Assert.True(processors.ActiveCpus.IsEmpty);
        Assert.Empty(processors.Nodes);
    }

    [Fact]
    public void Parse_Groups_AreWordsOfTheSet()
    {
        var processors = ProcessorInformationParser.Parse(new RecordBuilder().Groups(0x3, 0x5, ulong.MaxValue).ToArray());
        Assert.Equal(CpuSet.ParseList("0-1,64,66,128-191"), processors.ActiveCpus);
    }

    [Theory]
    [InlineData(1u)]
    [InlineData(6u)]
    public void Parse_NodeOverTwoGroups_HasBoth(uint relation)
    {
        var records = new RecordBuilder().Node(7, relation, 2, (0, 0xF0), (1, 0x1)).ToArray();
        Assert.Equal(CpuSet.ParseList("4-7,64"), ProcessorInformationParser.Parse(records).Nodes[7]);
    }

    [Fact]
    public void Parse_NodeInTwoRecords_HasTheCpusOfBoth()
    {
        var records = new RecordBuilder().EarlierNode(1, 0, 0x1).EarlierNode(1, 1, 0x1).ToArray();
        Assert.Equal(CpuSet.ParseList("0,64"), ProcessorInformationParser.Parse(records).Nodes[1]);
    }

    [Fact]
    public void Parse_UnknownRelation_IsSkipped()
    {
        var records = new RecordBuilder().Raw(7, new byte[16]).Raw(12345, []).Groups(0x1).ToArray();
        Assert.Equal(CpuSet.FromIds(0), ProcessorInformationParser.Parse(records).ActiveCpus);
    }

    [Fact]
    public void Parse_Caches_AreThoseForData()
    {
        var records = new RecordBuilder()
            .Cache(1, 1, 1, (0, 1)).Cache(1, 2, 2, (0, 1)).Cache(2, 0, 3, (0, 1)).Cache(1, 3, 4, (0, 1)).ToArray();
        Assert.Equal([2L, 3L], ProcessorInformationParser.Parse(records).Caches.Select(static cache => cache.SizeBytes));
    }

    [Theory]
    [InlineData(0u)]
    [InlineData(7u)]
    [InlineData(57u)]
    [InlineData(uint.MaxValue)]
    public void Parse_SizeThatDoesNotFit_IsNamed(uint size)
    {
        var records = new RecordBuilder().Groups(0x1).Core((0, 1)).ToArray();
        const int Second = 80;
        BitConverter.TryWriteBytes(records.AsSpan(Second + 4), size);
        var message = Assert.Throws<NumaException>(() => ProcessorInformationParser.Parse(records)).Message;
        Assert.Contains($"byte {Second}", message, StringComparison.Ordinal);
        Assert.Contains($"Size is {size}; it must be from 8 to 48", message, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData(1)]
    [InlineData(7)]
    public void Parse_BytesAfterTheLastRecord_AreNamed(int count)
    {
        byte[] records = [.. new RecordBuilder().Groups(0x1).ToArray(), .. new byte[count]];
        Assert.Contains(
            $"{count} bytes are left for a header",
            Assert.Throws<NumaException>(() => ProcessorInformationParser.Parse(records)).Message,
            StringComparison.Ordinal);
    }

    [Theory]
    [InlineData(0u)]
    [InlineData(1u)]
    [InlineData(2u)]
    [InlineData(3u)]
    [InlineData(4u)]
    [InlineData(6u)]
    public void Parse_RecordShorterThanItsKind_IsNamed(uint relation)
    {
        const uint Groups = 4;
        var body = new byte[24];
        if (relation == Groups)
        {
            // One group, which needs a mask behind the counts.
            body[2] = 1;
        }

        var records = new RecordBuilder().Raw(relation, body).ToArray();
        Assert.Contains(
            "must be at least",
            Assert.Throws<NumaException>(() => ProcessorInformationParser.Parse(records)).Message,
            StringComparison.Ordinal);
    }

    [Fact]
    public void Parse_MoreGroupsThanTheRecordHolds_IsNamed()
    {
        var records = new RecordBuilder().Node(0, 1, ushort.MaxValue, (0, 1)).ToArray();
        Assert.Contains(
            "it is 48 bytes long and must be at least",
            Assert.Throws<NumaException>(() => ProcessorInformationParser.Parse(records)).Message,
            StringComparison.Ordinal);
    }

    [Fact]
    public void Parse_GroupOrNodeThatCannotBe_IsNamed()
    {
        Assert.Contains(
            "group 1024; groups are from 0 to 1023",
            Assert.Throws<NumaException>(
                () => ProcessorInformationParser.Parse(new RecordBuilder().Core((1024, 1)).ToArray())).Message,
            StringComparison.Ordinal);
        Assert.Contains(
            "node 4294967295 cannot be; nodes are from 0 to 65535",
            Assert.Throws<NumaException>(
                () => ProcessorInformationParser.Parse(new RecordBuilder().Node(uint.MaxValue, (0, 1)).ToArray())).Message,
            StringComparison.Ordinal);
    }
}
