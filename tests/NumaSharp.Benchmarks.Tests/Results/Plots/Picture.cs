using System.Globalization;
using System.Xml.Linq;

namespace NumaSharp.Benchmarks.Tests.Results.Plots;

/// <summary>Reads an SVG picture.</summary>
internal sealed class Picture(string svg)
{
    private static readonly XNamespace s_svg = "http://www.w3.org/2000/svg";

    private readonly XElement _root = XElement.Parse(svg);

    public string Title => _root.Element(s_svg + "title")!.Value;

    public string Description => _root.Element(s_svg + "desc")!.Value;

    public string Style => _root.Element(s_svg + "style")!.Value;

    /// <summary>What names the picture for a screen reader.</summary>
    public IEnumerable<string> NamedBy =>
        _root.Attribute("aria-labelledby")!.Value.Split(' ').Select(id =>
            _root.Elements().Single(element => element.Attribute("id")?.Value == id).Value);

    public double Height => double.Parse(_root.Attribute("viewBox")!.Value.Split(' ')[3], NumberFormatInfo.InvariantInfo);

    public IReadOnlyList<Picture> Rows =>
        [.. _root.Elements(s_svg + "g").Select(static row => new Picture(row.ToString(SaveOptions.DisableFormatting)))];

    public IEnumerable<string> Texts => _root.Descendants(s_svg + "text").Select(static text => text.Value);

    public string Look => _root.Attribute("class")!.Value;

    /// <summary>An attribute of the only element with that class.</summary>
    public double Place(string look, string attribute) =>
        double.Parse(Only(look).Attribute(attribute)!.Value, NumberFormatInfo.InvariantInfo);

    /// <summary>Where the mark with that class is.</summary>
    public double MarkOf(string look) =>
        double.Parse(Only(look).Attribute("d")!.Value.TrimStart('M').Split(' ')[0], NumberFormatInfo.InvariantInfo);

    /// <summary>The shape of the mark with that class.</summary>
    public string ShapeOf(string look)
    {
        var path = Only(look).Attribute("d")!.Value;
        return path[path.IndexOf('m', StringComparison.Ordinal)..];
    }

    public bool Has(string look) => WithLook(look).Any();

    private XElement Only(string look) => WithLook(look).Single();

    private IEnumerable<XElement> WithLook(string look) =>
        _root.Descendants().Where(element => element.Attribute("class")?.Value == look);
}
