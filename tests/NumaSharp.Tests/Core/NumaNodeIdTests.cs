using System.Globalization;
using System.Reflection;
using System.Text.Json;
using NumaSharp.Core;

namespace NumaSharp.Tests.Core;

public sealed class NumaNodeIdTests
{
    [Theory]
    [InlineData(-1)]
    [InlineData(CpuSet.MaxId + 1)]
    [InlineData(int.MinValue)]
    public void Constructor_NoIdOfAKernel_IsRefusedWithWhatIsAllowed(int value)
    {
        var refusal = Assert.Throws<ArgumentOutOfRangeException>(() => new NumaNodeId(value));
        Assert.Equal(("value", value), (refusal.ParamName, refusal.ActualValue));
        Assert.Contains($"from 0 to {CpuSet.MaxId}", refusal.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void PoolOfANumberThatIsNoId_IsRefusedByTheNameOfItsArgument() => Assert.Equal(
        "numaNodeId", Assert.Throws<ArgumentOutOfRangeException>(static () => new NumaMemoryPool(numaNodeId: -1)).ParamName);

    [Fact]
    public void Ids_AreEqualAndOrderedAsTheirNumbers()
    {
        var (one, eight) = (new NumaNodeId(1), new NumaNodeId(8));
        Assert.Equal(one, new NumaNodeId(1));
        Assert.Equal(default, new NumaNodeId(0));
        Assert.True(one < eight && eight > one && one <= eight && eight >= one && one != eight);
        Assert.Equal([one, eight], new[] { eight, one }.Order());
    }

    [Fact]
    public void Text_IsTheNumber()
    {
        var id = new NumaNodeId(1000);
        Assert.Equal("1000", id.ToString(null, CultureInfo.InvariantCulture));
        Assert.Equal("node 1000", string.Create(CultureInfo.InvariantCulture, $"node {id}"));
        Span<char> text = stackalloc char[4];
        Assert.True(id.TryFormat(text, out var written, default, CultureInfo.InvariantCulture));
        Assert.Equal((4, "1000"), (written, text.ToString()));
        Assert.False(id.TryFormat(text[..3], out _, default, CultureInfo.InvariantCulture));
    }

    [Fact]
    public void Json_HasTheNumberAsValueAndAsKey()
    {
        var distances = new Dictionary<NumaNodeId, NumaNodeId?> { [new(3)] = new(4), [new(0)] = null };
        var json = JsonSerializer.Serialize(distances);
        Assert.Equal("""{"3":4,"0":null}""", json);
        Assert.Equal(distances, JsonSerializer.Deserialize<Dictionary<NumaNodeId, NumaNodeId?>>(json));
    }

    [Theory]
    [InlineData("[-1]")]
    [InlineData("[1.5]")]
    [InlineData("[\"1\"]")]
    [InlineData("[99999999999]")]
    [InlineData("[65536]")]
    public void Json_ThatIsNoId_IsRefused(string json) => Assert.Contains(
        $"from 0 to {CpuSet.MaxId}",
        Assert.Throws<JsonException>(() => JsonSerializer.Deserialize<NumaNodeId[]>(json)).Message,
        StringComparison.Ordinal);

    [Theory]
    [InlineData("""{"-1":0}""")]
    [InlineData("""{"x":0}""")]
    [InlineData("""{"65536":0}""")]
    public void JsonKey_ThatIsNoId_IsRefused(string json) => Assert.Contains(
        $"from 0 to {CpuSet.MaxId}",
        Assert.Throws<JsonException>(() => JsonSerializer.Deserialize<Dictionary<NumaNodeId, int>>(json)).Message,
        StringComparison.Ordinal);

    // A position in place of an id would be another node, in silence.
    [Fact]
    public void Conversions_ToAndFromNumbers_AreNotThere() => Assert.DoesNotContain(
        typeof(NumaNodeId).GetMethods(BindingFlags.Public | BindingFlags.Static),
        static method => method.Name is "op_Implicit" or "op_Explicit");
}
