using System.Globalization;
using System.Text;
using System.Xml;

namespace NumaSharp.Playground.Benchmarks.Results.Plots;

/// <summary>An SVG picture, light or dark as its reader wants it. What has a class looks as the style says.</summary>
internal sealed class SvgPage : IDisposable
{
    public const double Width = 960;

    private const string Namespace = "http://www.w3.org/2000/svg";

    // Series differ in shape, too: not every reader tells the colours apart.
    private const string Style = """

            text { fill: #1f2328; font: 12px system-ui, sans-serif }
            .title { font-size: 16px; font-weight: 600 }
            .heading { font-size: 13px; font-weight: 600 }
            .note { fill: #59636e }
            .page { fill: #ffffff }
            .band { fill: #f6f8fa }
            .grid { stroke: #d1d9e0 }
            .one { stroke: #59636e; stroke-width: 1.5 }
            .required { stroke: #9a6700; stroke-width: 2.5 }
            .spread { stroke: #0969da; stroke-width: 1.5 }
            .ratio, .s0 { fill: #0969da }
            .missed text { font-weight: 600 }
            .missed .ratio, .missed text { fill: #cf222e }
            .missed .spread { stroke: #cf222e }
            .s1 { fill: #bc4c00 } .s2 { fill: #1a7f37 } .s3 { fill: #8250df } .s4 { fill: #59636e }
            .s5 { fill: #9a6700 } .s6 { fill: #bf3989 } .s7 { fill: #1b7c83 }
            @media (prefers-color-scheme: dark) {
              text { fill: #f0f6fc }
              .note { fill: #9198a1 }
              .page { fill: #0d1117 }
              .band { fill: #151b23 }
              .grid { stroke: #3d444d }
              .one { stroke: #9198a1 }
              .required { stroke: #d29922 }
              .spread { stroke: #4493f8 }
              .ratio, .s0 { fill: #4493f8 }
              .missed .ratio, .missed text { fill: #f85149 }
              .missed .spread { stroke: #f85149 }
              .s1 { fill: #db6d28 } .s2 { fill: #3fb950 } .s3 { fill: #ab7df8 } .s4 { fill: #9198a1 }
              .s5 { fill: #d29922 } .s6 { fill: #db61a2 } .s7 { fill: #2ba5b0 }
            }
        """;

    // Circle, square, diamond, triangles, plus, bars: about ten across.
    private static readonly string[] s_shapes =
    [
        "m-5 0a5 5 0 1 0 10 0a5 5 0 1 0 -10 0z",
        "m-4.5 -4.5h9v9h-9z",
        "m0 -6l6 6l-6 6l-6 -6z",
        "m0 -5.5l5.5 10h-11z",
        "m0 5.5l5.5 -10h-11z",
        "m-5.5 -1.5h4v-4h3v4h4v3h-4v4h-3v-4h-4z",
        "m-2 -6h4v12h-4z",
        "m-6 -2h12v4h-12z",
    ];

    private readonly StringBuilder _text = new();
    private readonly XmlWriter _xml;

    private SvgPage(string title, string description, double height)
    {
        _xml = XmlWriter.Create(_text, new XmlWriterSettings
        {
            OmitXmlDeclaration = true,
            Indent = true,
            NewLineChars = "\n",
        });
        _xml.WriteStartElement("svg", Namespace);
        _xml.WriteAttributeString("viewBox", $"0 0 {Number(Width)} {Number(height)}");
        _xml.WriteAttributeString("role", "img");
        _xml.WriteAttributeString("aria-labelledby", "title desc");
        Words("title", title, ("id", "title"));
        Words("desc", description, ("id", "desc"));
        Words("style", Style);
        Rectangle("page", 0, 0, Width, height);
    }

    /// <summary>Draws a picture.</summary>
    /// <param name="title">What it shows; its heading.</param>
    /// <param name="description">The same for those that cannot see it.</param>
    /// <param name="height">As high as what is drawn.</param>
    /// <param name="draw">Draws it.</param>
    public static string Draw(string title, string description, double height, Action<SvgPage> draw)
    {
        using var page = new SvgPage(title, description, height);
        page.Text("title", 16, 26, title);
        draw(page);
        page._xml.WriteEndElement();
        page._xml.Flush();
        return page._text.Append('\n').ToString();
    }

    /// <summary>The path of a series' mark; there are eight, and then the first again.</summary>
    public static string ShapeOf(int series) => s_shapes[series % s_shapes.Length];

    /// <summary>A group with a title, which a pointer shows and a screen reader says.</summary>
    public void Group(string look, string title, Action draw)
    {
        _xml.WriteStartElement("g", Namespace);
        _xml.WriteAttributeString("class", look);
        Words("title", title);
        draw();
        _xml.WriteEndElement();
    }

    public void Text(string look, double x, double y, string text) =>
        Words("text", text, ("class", look), ("x", Number(x)), ("y", Number(y)));

    /// <summary>Text whose middle is there.</summary>
    public void Label(string look, double x, double y, string text) =>
        Words("text", text, ("class", look), ("x", Number(x)), ("y", Number(y)), ("text-anchor", "middle"));

    public void Line(string look, double x1, double y1, double x2, double y2) => Shape(
        "line", ("class", look), ("x1", Number(x1)), ("y1", Number(y1)), ("x2", Number(x2)), ("y2", Number(y2)));

    public void Rectangle(string look, double x, double y, double width, double height) => Shape(
        "rect", ("class", look), ("x", Number(x)), ("y", Number(y)), ("width", Number(width)), ("height", Number(height)));

    /// <summary>A shape of <see cref="ShapeOf"/>, around a point.</summary>
    public void Mark(string look, string shape, double x, double y) =>
        Shape("path", ("class", look), ("d", $"M{Number(x)} {Number(y)}{shape}"));

    public void Dispose() => _xml.Dispose();

    private static string Number(double value) => value.ToString("0.##", CultureInfo.InvariantCulture);

    private void Words(string element, string text, params ReadOnlySpan<(string Name, string Value)> attributes)
    {
        _xml.WriteStartElement(element, Namespace);
        Attributes(attributes);
        _xml.WriteString(text);
        _xml.WriteEndElement();
    }

    private void Shape(string element, params ReadOnlySpan<(string Name, string Value)> attributes)
    {
        _xml.WriteStartElement(element, Namespace);
        Attributes(attributes);
        _xml.WriteEndElement();
    }

    private void Attributes(ReadOnlySpan<(string Name, string Value)> attributes)
    {
        foreach (var (name, value) in attributes)
        {
            _xml.WriteAttributeString(name, value);
        }
    }
}
